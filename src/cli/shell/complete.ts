// `northgate __complete -- WORDS`: what may stand for the last word, one a line. The scripts of `completion` ask it for names of a live
// world, and kubectl asks it for everything (bin/kubectl_complete-northgate.js). Nobody waits for it for long, and nobody reads its
// errors: what cannot be found out in time is not offered.

import { homedir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { readGetConfig } from "../../config/answers/questions.ts";
import type { CommandName } from "../../config/setting.ts";
import { isCommandName } from "../../config/setting.ts";
import { settingsOf } from "../../config/settings.ts";
import { contextNames, contextNamespace, HttpApi, openKubeconfig } from "../../kube/index.ts";
import { systemClock } from "../../lib/clock.ts";
import { pause } from "../../lib/deadline.ts";
import { serviceKind } from "../../model/service.ts";
import { readWorld } from "../../worlds/world.ts";
import type { CompletedCommand, CompletedFlag } from "./completion-scripts.ts";
import { completeWord, ofProgram } from "./completion-scripts.ts";
import { beginning, endWords, podWords } from "./end-words.ts";
import { offered } from "./kubectl.ts";
import type { Token } from "./tokens.ts";
import { flagIn, takesValue, tokensOf } from "./tokens.ts";
import type { WorldNames } from "./world-names.ts";
import { namesAmong, namesInCluster } from "./world-names.ts";

/** Longer than that nobody waits for the tab key. */
const limitMs = 1_000;

interface Completion {
  readonly words: readonly string[];
  /** Names of files are meant. */
  readonly files: boolean;
}

const nothing: Completion = { words: [], files: false };

/** @param commands those of the program, as the scripts have them. */
export function addComplete(program: Command, commands: () => readonly CompletedCommand[]): void {
  program
    .command(completeWord, { hidden: true })
    .argument("[words...]")
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const isPlugin = program.name() !== "northgate";
      const own = isPlugin
        ? commands().filter(({ name }) => offered.some((one) => one === name))
        : commands();
      const late = new AbortController();
      const answer = completionOf(words, own, late.signal, isPlugin).catch(() => nothing);
      const limit = pause(systemClock, limitMs, late.signal).then(() => null);
      const found = await Promise.race([answer, limit]);
      late.abort();
      process.stdout.write(isPlugin ? forKubectl(found ?? nothing) : linesOf(found ?? nothing));
      // A plugin for credentials, or a server, may still be waited for.
      if (found === null) process.stdout.end(() => process.exit(0));
    });
}

function linesOf({ words }: Completion): string {
  return words.map((word) => `${word}\n`).join("");
}

/** As kubectl reads it: behind the words a sum of 2, no space behind the word, and 4, no names of files. */
function forKubectl(found: Completion): string {
  const goesOn = found.words.some((word) => /[/=]$/.test(word)) ? 2 : 0;
  return `${linesOf(found)}:${found.files ? 0 : 4 + goesOn}\n`;
}

async function completionOf(
  words: readonly string[],
  commands: readonly CompletedCommand[],
  signal: AbortSignal,
  isPlugin: boolean,
): Promise<Completion> {
  const typed = plain(words.at(-1) ?? "");
  const before = joined(words.slice(0, -1)).map(plain);
  const at = before.findIndex((word) => commands.some(({ name }) => name === word));
  const command = commands.find(({ name }) => name === before[at]);
  if (command === undefined)
    return listed(typed, typed.startsWith("-") ? ofProgram : [...commands.map(({ name }) => name), "help"]);
  if (!isCommandName(command.name)) return listed(typed, command.operands);
  const line = { name: command.name, tokens: tokensOf(command.name, before.slice(at + 1)), signal, isPlugin };
  const inWord = flagIn(typed);
  if (inWord.flag !== null && typed.includes("=")) {
    const value = await valueOf(command, inWord.flag, inWord.rest, line);
    const stem = typed.slice(0, typed.indexOf("=") + 1);
    return { ...value, words: value.words.map((word) => `${stem}${word}`) };
  }
  const last = line.tokens.at(-1);
  if (last?.flag != null && last.value === null && takesValue(command.name, last.flag))
    return await valueOf(command, last.flag, typed, line);
  if (typed.startsWith("-")) return listed(typed, command.flags.flatMap(wordsOf));
  const isNamed = line.tokens.some(({ flag, value }) => flag === null && value === command.namesBehind);
  return isNamed ? await named(line, (names) => podWords(typed, names)) : listed(typed, command.operands);
}

function wordsOf({ long, short }: CompletedFlag): readonly string[] {
  return [`--${long}`, ...(short === null ? [] : [`-${short}`])];
}

function listed(typed: string, words: readonly string[]): Completion {
  return { words: words.filter((word) => word.startsWith(typed)), files: false };
}

interface Line {
  readonly name: CommandName;
  readonly tokens: readonly Token[];
  readonly signal: AbortSignal;
  readonly isPlugin: boolean;
}

/** Of a flag that takes one. */
async function valueOf(
  command: CompletedCommand,
  flag: string,
  typed: string,
  line: Line,
): Promise<Completion> {
  const takes = command.flags.find(({ long, short }) => long === flag || short === flag)?.takes;
  if (takes === "file") return { words: [], files: true };
  if (typeof takes === "object") return listed(typed, takes);
  const argument = settingsOf(line.name).find((one) => one.flag === flag)?.argument ?? null;
  // kubectl's own, which no table has.
  switch (flag === "namespace" ? "NAMESPACE" : argument) {
    case "END":
      return await named(line, async (names) => await endWords(typed, names, await homeOf(line)));
    case "NAMESPACE":
      return await named(line, async (names) => beginning(typed, await names.namespaces()));
    case "NODE":
      return await named(line, async (names) => beginning(typed, await names.nodes()));
    case "CONTEXT":
      return { words: beginning(typed, await contextNames(kubeconfigOf(line))), files: false };
    default:
      return nothing;
  }
}

function said({ tokens }: Line, flag: string): string | null {
  return tokens.findLast((token) => token.flag === flag)?.value ?? null;
}

function kubeconfigOf(line: Line): { readonly path: string | null; readonly context: string | null } {
  return { path: said(line, "kubeconfig"), context: said(line, "context") };
}

/** The namespace of ends that are named without one. */
async function homeOf(line: Line): Promise<string> {
  return said(line, "namespace") ?? (line.isPlugin ? await contextNamespace(kubeconfigOf(line)) : "default");
}

/** Flags of the world, which every command that reads one has. */
const worldFlags = ["filename", "ignore", "source", "kubeconfig", "config"];

/** Of the world that the line names. What a kustomization makes is not built for a name. */
async function named(
  line: Line,
  find: (names: WorldNames) => Promise<readonly string[]>,
): Promise<Completion> {
  const given = Object.groupBy(
    line.tokens.filter(({ flag, value }) => value !== "-" && worldFlags.includes(flag ?? "")),
    ({ flag }) => flag ?? "",
  );
  if (given["filename"] === undefined && line.tokens.some(({ flag, value }) => isUnread(flag, value)))
    return nothing;
  const flags = Object.fromEntries(
    Object.entries(given).map(([flag, tokens = []]) => [flag, tokens.map(({ value }) => value ?? "")]),
  );
  const { source, ...mode } = readGetConfig({ flags, environment: process.env }).world;
  if (source.kind !== "kube") {
    const read = await readWorld(source, { ...mode, alsoRead: [serviceKind], mayMiss: true });
    return { words: await find(namesAmong(read.objects, read.workloads)), files: false };
  }
  const api = new HttpApi({ credentials: await openKubeconfig(kubeconfigOf(line)), clock: systemClock });
  try {
    return { words: await find(namesInCluster(api, line.signal)), files: false };
  } finally {
    api.close();
  }
}

function isUnread(flag: string | null, value: string | null): boolean {
  return flag === "kustomize" || (flag === "filename" && value === "-");
}

/** bash divides words at `=` and `:` and gives both as words. */
function joined(words: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const word of words) {
    const last = whole.at(-1) ?? "";
    if (word === "=" && last.startsWith("--")) continue;
    if (whole.length > 0 && (word === ":" || last.endsWith(":"))) whole.push(`${whole.pop() ?? ""}${word}`);
    else whole.push(word);
  }
  return whole;
}

/** As the shell would pass it: without quotes, and with the home directory. */
function plain(word: string): string {
  const text = word.replaceAll(/\\(.)|["']/g, "$1");
  return text.startsWith("~/") ? join(homedir(), text.slice(2)) : text;
}
