// `northgate lint`: what is wrong with policies, before they are applied or in a live cluster. Only reads, but with --fix. Reports objects
// that cannot be read on standard error and looks at the rest.

import type { Command } from "commander";
import { cniFlag, ovnCni } from "../cni/answers.ts";
import type { LintConfig } from "../config/answers/lint.ts";
import { readLintConfig } from "../config/answers/lint.ts";
import { projectSettings } from "../config/sources/project.ts";
import { UsageError } from "../config/values.ts";
import { catalogue, ruleIds } from "../lint/catalogue.ts";
import { counted } from "../lib/counted.ts";
import type { Finding, Report } from "../lint/finding.ts";
import { isAtLeast } from "../lint/finding.ts";
import type { Choice } from "../lint/lint.ts";
import { formatJunit } from "../lint/output/junit.ts";
import { formatMarkdown } from "../lint/output/markdown.ts";
import { safe } from "../lint/output/names.ts";
import { formatSarif } from "../lint/output/sarif.ts";
import { formatTable } from "../lint/output/table.ts";
import { version } from "../version.ts";
import type { Linted } from "./worlds/linted.ts";
import { lintedWorld } from "./worlds/linted.ts";
import type { Mends } from "./mends.ts";
import { diffText, mendsOf, write } from "./mends.ts";
import { printError } from "./print/print-error.ts";
import { formatData } from "./print/data.ts";
import { widthOf } from "./print/width.ts";
import { declareFlags, precedence } from "./flags.ts";

/** The rules that need a database, or counts. */
const needing = [
  { id: "NG018", flag: "--nb", isGiven: ({ rows }: LintConfig) => rows !== null },
  { id: "NG030", flag: "--hits", isGiven: ({ hits }: LintConfig) => hits.length > 0 },
];

export function addLint(program: Command): void {
  const command = program
    .command("lint")
    .summary(
      "find what is wrong with policies: rules that never decide, ties, pods without DNS; needs no database",
    )
    .description(
      "Looks for mistakes in policies of every kind, in manifests (-f) or in the cluster: rules that never decide, policies whose " +
        "order is open, selectors that nothing has, pods that cannot reach DNS, Services' ports in place of pods'. The more of the " +
        "cluster's Namespaces, Pods, Nodes and Services it is given, the more it can say. --fix mends what has one " +
        "right mending. A policy suppresses a finding with the annotation " +
        '`northgate/lint-ignore: "NG001@egress[2]: why; NG004: why"`.',
    );
  const given = declareFlags(command, "lint");
  command.addHelpText("after", helpText).action(async () => {
    process.exitCode = await lintWorld(readLintConfig(given(), projectSettings(process.cwd())));
  });
}

const helpText = () =>
  `\nThe catalogue (docs/lint.md tells more of each):\n${catalogue
    .map(({ id, name, severities }) => `  ${id}  ${severities.join(" or ").padEnd(16)}  ${name}`)
    .join("\n")}\n\n${precedence}` +
  "The file .northgate.yaml of a repository sets how bad findings of a rule are, and --fail-on (docs/lint.md#settings-of-a-repository).\n" +
  "Exit codes: 0 nothing at or above --fail-on, 1 something is, or a part could not be read, 2 wrong usage.\n\n" +
  "Examples:\n" +
  "  northgate lint -f examples/cluster-control\n" +
  "  northgate lint --fail-on warning --monitoring monitoring\n" +
  "  northgate lint -f policies/ --severity NG026=off --severity NG024=error --quiet\n" +
  "  northgate lint -f policies/ --fix --dry-run\n" +
  "  northgate lint --rule NG018 --nb unix:/var/run/ovn/ovnnb_db.sock\n" +
  "  northgate lint --rule NG030 --hits worker-1.prom --hits worker-2.prom\n" +
  "  northgate lint -f policies/ -f cluster.yaml -o sarif > northgate.sarif\n";

async function lintWorld(config: LintConfig): Promise<number> {
  const only = known(config.rules, "--rule");
  const choice = choiceOf(config, only);
  const { [cniFlag]: cni = ovnCni } = config.world.kinds;
  const about = catalogue.find((rule) => rule.ofRows === true && only.has(rule.id));
  if (cni !== ovnCni && about !== undefined)
    throw new UsageError(`--rule ${about.id} has no meaning with --${cniFlag} ${cni}`);
  const lacking = needing.find(({ id, isGiven }) => only.has(id) && !isGiven(config));
  if (lacking !== undefined) throw new UsageError(`--rule ${lacking.id} needs ${lacking.flag}`);
  try {
    const linted = await lintedWorld(config, choice);
    if (config.fix === "no") return shown(linted, config);
    const mends = mendsOf(linted.report);
    for (const line of mends.refused) printError(line);
    if (config.fix === "dry") return shownDiff(linted, mends);
    write(mends);
    process.stderr.write(
      `northgate: ${counted(mends.count, "finding")} fixed in ${counted(mends.files.length, "file")}\n`,
    );
    return shown(await lintedWorld(config, choice), config);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    printError(error.message);
    return 1;
  }
}

/** The exit code: 0 where nothing is to be changed. */
function shownDiff({ lines, isUnread }: Linted, mends: Mends): number {
  for (const line of lines) process.stderr.write(`${line}\n`);
  // A diff in a file is applied by other programs, so it is exact there.
  const diff = diffText(mends);
  process.stdout.write(process.stdout.isTTY ? diff.split("\n").map(safe).join("\n") : diff);
  return mends.files.length > 0 || mends.refused.length > 0 || isUnread ? 1 : 0;
}

/** The exit code. */
function shown({ report, lines, isUnread }: Linted, config: LintConfig): number {
  const fails = (finding: Finding): boolean => isAtLeast(finding.severity, config.failOn);
  const isFound = report.findings.some((one) => one.suppressed === null && fails(one));
  if (config.quiet && !isFound && !isUnread) return 0;
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.stdout.write(print(report, config, fails));
  return isFound || isUnread ? 1 : 0;
}

/** What --rule names is asked, whatever the repository's file says of it. */
function choiceOf({ skip, severity }: LintConfig, only: ReadonlySet<string>): Choice {
  for (const { id, from } of severity) known([id], from);
  const levels = new Map(severity.map(({ id, level }) => [id, level]));
  const off = [...levels].filter(([id, level]) => level === "off" && !only.has(id)).map(([id]) => id);
  return {
    only: only.size === 0 ? null : only,
    skip: known(skip, "--skip").union(new Set(off)),
    severity: new Map([...levels].flatMap(([id, level]) => (level === "off" ? [] : [[id, level] as const]))),
  };
}

function known(ids: readonly string[], flag: string): ReadonlySet<string> {
  const wrong = ids.find((id) => !ruleIds.has(id));
  if (wrong !== undefined)
    throw new UsageError(
      `${flag}: ${JSON.stringify(wrong)} is not in the catalogue, ${[...ruleIds].at(0)} to ${[...ruleIds].at(-1)}`,
    );
  return new Set(ids);
}

function print(report: Report, { output, all }: LintConfig, fails: (finding: Finding) => boolean): string {
  switch (output) {
    case "table":
      return formatTable(report, {
        ...{ all, width: widthOf(process.stdout) },
        ...(process.stdout.isTTY ? { lines: process.stdout.rows } : {}),
      });
    case "json":
      return formatData(report, "json");
    case "sarif":
      return formatSarif(report, version());
    case "junit":
      return formatJunit(report, fails);
    case "markdown":
      return formatMarkdown(report);
  }
}
