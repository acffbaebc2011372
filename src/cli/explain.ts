// `northgate explain`: may this connect to that, and which rule says so? One connection by flags, many by a file, which with
// `expect` is a test of policies. Answers what can be answered and says what cannot. Only reads.

import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { NoSuchEnd } from "../analysis/end-query.ts";
import { backendNamed } from "../backends.ts";
import type { ExplainConfig } from "../config/answers/questions.ts";
import { readExplainConfig } from "../config/answers/questions.ts";
import { UsageError } from "../config/values.ts";
import type { AskedWorld } from "../explain/asked.ts";
import type { Question } from "../explain/question.ts";
import { explainAny } from "../explain/explain.ts";
import type { Expectation } from "../explain/questions.ts";
import { readQuestions } from "../explain/questions.ts";
import { answerWithHits } from "../explain/with-hits.ts";
import { hitsAsked } from "../hits/files.ts";
import { foldedText } from "../lib/folded.ts";
import { serviceKind } from "../model/service.ts";
import type { AnswerTableOptions } from "./print/answer-table.ts";
import { formatAnswer, painted, words } from "./print/answer-table.ts";
import { formatAnswers } from "./print/answers-table.ts";
import { widthOf } from "./print/width.ts";
import { askedIn } from "./worlds/asked-world.ts";
import { watchAnswers } from "./watch.ts";
import { readExistingOrPrintError } from "./worlds/existing-rows.ts";
import { showsColours } from "./print/colours.ts";
import { printError } from "./print/print-error.ts";
import { formatData } from "./print/data.ts";
import { endsHelp } from "./shell/ends-help.ts";
import { declareFlags, precedence } from "./flags.ts";
import { progressOf, sayMany } from "./print/progress.ts";
import type { ShownAnswer, ShownAnswerOrError, ShownMany } from "./print/shown-answer.ts";
import { isMany } from "./print/shown-answer.ts";
import { formatMany } from "./print/many-table.ts";
import { loadWorld } from "../worlds/world.ts";

export function addExplain(program: Command): void {
  const command = program
    .command("explain")
    .summary("say whether a connection is allowed, and which rule decides; needs no database")
    .description(
      "Says of a connection between pods, workloads, nodes or addresses whether the policies allow it, and on each side who " +
        "decides: tier, policy, rule, file and line; what matches too and why it does not decide; and what nearly matched. " +
        "It reads manifests (-f), or the objects of the cluster. It judges new connections only, and says `cannot tell` " +
        "where the policies leave it open. With --nb it asks the ACLs that stand in the database too, of every owner, and " +
        "names the rows that are missing, extra or altered where they do otherwise than the policies. With --hits it says how " +
        "many packets the deciding rules have met; no verdict rests on that.",
    );
  const given = declareFlags(command, "explain");
  command
    .addHelpText(
      "after",
      `\n${endsHelp}\n${precedence}` +
        "Exit codes: 0 answered, or --watch was ended by a signal; 1 something was not answered, could not be read, or is not as " +
        "expected; 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate explain --from web/shop-0 --to kube-system/coredns-0 --protocol udp --port 53\n" +
        "  northgate explain -f examples/cluster-control --from 10.244.2.6 --to 192.0.2.7 --protocol tcp --port 443\n" +
        "  northgate explain -f chart.yaml --from shop/deploy/web --to shop/svc/db:5432 --protocol tcp\n" +
        "  northgate explain --nb unix:/var/run/ovn/ovnnb_db.sock --from web/shop-0 --to db/pg-0 --protocol tcp --port 5432\n" +
        "  northgate explain --from web/shop-0 --to db/pg-0 --protocol tcp --port 5432 --watch   # until Ctrl-C\n" +
        "  northgate explain -f manifests/ --connections expected.json   # a test of policies, for CI\n" +
        '    where expected.json is [{"from": "web/shop-0", "to": "db/pg-0", "protocol": "tcp", "port": 5432, "expect": "allow"}]\n',
    )
    .action(async () => {
      process.exitCode = await answerAll(readExplainConfig(given()));
    });
}

async function answerAll(config: ExplainConfig): Promise<number> {
  const questions = config.connections === null ? null : questionsIn(config.connections);
  try {
    if (config.watch && config.question !== null) return await watched(config, config.question);
    return await answer(
      config,
      questions ?? (config.question === null ? [] : [{ ...config.question, expect: null }]),
    );
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printError(error.message);
    return 1;
  }
}

function watched(config: ExplainConfig, question: Question): Promise<number> {
  const hits = hitsAsked(config.hits);
  return watchAnswers(config, (asked) => {
    const found = explainAny(asked, question, { directions: config.directions, isDetailed: true });
    const data = hits === null ? found : answerWithHits(hits, found);
    return { data, text: print([data], { ...config, output: "table" }, tellingOf(asked)) };
  });
}

function tellingOf(asked: AskedWorld): AnswerTableOptions {
  return {
    rankOf: (policy) => asked.rankOf(policy),
    ...{ colours: showsColours(), width: widthOf(process.stdout) },
  };
}

type Asked = Expectation | { readonly error: string };

async function answer(config: ExplainConfig, questions: readonly Asked[]): Promise<number> {
  const { source, ...mode } = config.world;
  const hits = hitsAsked(config.hits);
  const world = await loadWorld(source, { ...mode, alsoRead: [serviceKind], many: sayMany });
  for (const line of world.lines) process.stderr.write(`${line}\n`);
  const { serviceNetworks, directions, namespace } = config;
  const asked = askedIn(world, mode, serviceNetworks, namespace);
  const standing = config.rows === null ? null : await readExistingOrPrintError(mode, config.rows);
  const rows = standing === null ? null : standing.verdicts(world.compared);
  const isDetailed = config.question !== null || config.all;
  const progress = progressOf("connections");
  const told = questions.map((question, at): ShownAnswerOrError => {
    progress(at, questions.length);
    return "error" in question
      ? question
      : answerOf(question, (one) => {
          const found = explainAny(asked, one, { directions, isDetailed });
          const answered = hits === null ? found : answerWithHits(hits, found);
          return rows === null || "groups" in answered ? answered : { ...answered, rows: rows(answered) };
        });
  });
  for (const one of told) if ("error" in one) printError(one.error);
  process.stdout.write(print(told, config, tellingOf(asked)));
  const isUnread = config.rows !== null && rows === null;
  return world.refused || isUnread || !told.every(isGood) ? 1 : 0;
}

function answerOf(
  { expect, ...question }: Expectation,
  ask: (question: Question) => ShownAnswer | ShownMany,
): ShownAnswerOrError {
  try {
    const answered = ask(question);
    return expect === null ? answered : { ...answered, expected: expect, met: answered.verdict === expect };
  } catch (error) {
    if (error instanceof NoSuchEnd) return { error: error.message };
    throw error;
  }
}

function isGood(told: ShownAnswerOrError): boolean {
  return !("error" in told) && told.met !== false;
}

function questionsIn(path: string): readonly Asked[] {
  let text: string;
  try {
    text = readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw new UsageError(`--connections ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`--connections ${path}: not JSON`);
  }
  const questions = readQuestions(value);
  if (questions === null) throw new UsageError(`--connections ${path}: not a list of connections`);
  return questions;
}

function print(
  told: readonly ShownAnswerOrError[],
  config: ExplainConfig,
  telling: AnswerTableOptions,
): string {
  const { output, question, all } = config;
  if (output !== "table") return formatData(question === null ? told : told[0], output);
  if (question === null && !all) return formatAnswers(told, telling);
  const { backend } = config.world;
  return told.flatMap((one) => ("error" in one ? [] : [textOf(one, telling, backend)])).join("\n");
}

function textOf(answer: ShownAnswer | ShownMany, telling: AnswerTableOptions, backend: string): string {
  const width = telling.width ?? null;
  if (isMany(answer)) return foldedText(formatMany(answer, telling), width);
  const { rows } = answer;
  const text = formatAnswer(answer, telling);
  if (rows === undefined) return text;
  const said = painted(words[rows.verdict], rows.verdict, telling);
  return `${text}\n${foldedText(backendNamed(backend).live.verdictText(rows, said), width)}`;
}
