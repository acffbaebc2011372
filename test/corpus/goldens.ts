// The clusters of examples/clusters, and what is held of each: files of command lines with what they print, as a reader at a shell
// sees it in the cluster's folder. Standard error is first; an exit code other than 0 is the last line.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ranIn } from "../support/in-process.ts";

const home = resolve("examples/clusters");

/** Names of folders, in their order. */
export const clusters: readonly string[] = readdirSync(home, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

export const commands = ["can", "matrix", "plan", "lint"] as const;
export type CommandName = (typeof commands)[number];

export function folderOf(cluster: string): string {
  return join(home, cluster);
}

function fileOf(cluster: string, command: CommandName): string {
  return join(home, cluster, "expected", `${command}.txt`);
}

export function goldenOf(cluster: string, command: CommandName): string {
  return readFileSync(fileOf(cluster, command), "utf8");
}

const prompt = "$ northgate ";

/** Without the program's name. */
export function linesOf(cluster: string, command: CommandName): readonly (readonly string[])[] {
  return goldenOf(cluster, command)
    .split("\n")
    .filter((line) => line.startsWith(prompt))
    .map((line) => wordsOf(line.slice(prompt.length)));
}

/** As a shell reads words and single quotes. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`;
}

/** What the golden would be now; `flags`: at the end of each command line, which the text does not have. */
export async function printedNow(
  cluster: string,
  command: CommandName,
  flags: readonly string[] = [],
): Promise<string> {
  const texts: string[] = [];
  for (const args of linesOf(cluster, command)) {
    const { code, stdout, stderr } = await ranIn(folderOf(cluster), [...args, ...flags]);
    const ended = code === 0 ? "" : `(exit code ${code})\n`;
    texts.push(`${prompt}${args.map(quoted).join(" ")}\n${stderr}${stdout}${ended}`);
  }
  return texts.join("\n");
}

export function update(cluster: string, command: CommandName, text: string): void {
  writeFileSync(fileOf(cluster, command), text);
}
