// Asks two builds the same questions and collects the answers that differ. A world of which one does is left in a folder of its
// own, with both answers, so that each question can be asked again by hand.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Manifest } from "../support/manifests.ts";
import type { Answer, Build, Question } from "./build.ts";
import { difference } from "./compare.ts";
import { files, questionsOf, questionsOfExample } from "./questions.ts";
import type { Pair } from "./worlds.ts";

export interface Builds {
  readonly base: Build;
  readonly here: Build;
}

/** How many questions were asked, by command and exit code. */
export type Tally = Map<string, number>;

interface Differing {
  readonly question: Question;
  readonly what: string;
  readonly answers: readonly [Answer, Answer];
}

async function asked(
  { base, here }: Builds,
  questions: readonly Question[],
  tally: Tally,
): Promise<readonly Differing[]> {
  const differing: Differing[] = [];
  for (const question of questions) {
    const answers = await Promise.all([base.ask(question), here.ask(question)]);
    const what = difference(question.args, ...answers);
    const name = `${question.args[0] ?? ""} ${answers[0].code}`;
    tally.set(name, (tally.get(name) ?? 0) + 1);
    if (what !== null) differing.push({ question, what, answers });
  }
  return differing;
}

/** Writes the pair below `parent`; what differs, a line each. The folder stays when there is any. */
export async function differencesOf(
  builds: Builds,
  pair: Pair,
  parent: string,
  tally: Tally,
): Promise<readonly string[]> {
  const folder = written(pair, parent);
  const { rows, lines, connections } = questionsOf(pair);
  writeFileSync(join(folder, files.connections), JSON.stringify(connections));
  const rendered = await builds.base.ask({ args: rows, folder });
  writeFileSync(join(folder, files.rows), rendered.stdout);
  const differing = await asked(
    builds,
    lines.map((args) => ({ args, folder })),
    tally,
  );
  if (differing.length === 0) rmSync(folder, { recursive: true });
  return differing.map((one, at) => kept(one, at, folder));
}

/** Of manifests in this folder, which is one of the examples' or below it. */
export async function differencesOfExample(
  builds: Builds,
  {
    examples,
    folder,
    parent,
  }: { readonly examples: string; readonly folder: string; readonly parent: string },
  tally: Tally,
): Promise<readonly string[]> {
  const questions = questionsOfExample(folder).map((args) => ({ args, folder: examples }));
  const differing = await asked(builds, questions, tally);
  if (differing.length === 0) return [];
  const failed = join(parent, `example-${folder.replaceAll("/", "-")}`);
  mkdirSync(failed, { recursive: true });
  return differing.map((one, at) => kept(one, at, failed));
}

/** Both worlds as manifests in a new folder. */
export function written({ seed, world, next }: Pair, parent: string): string {
  const folder = join(parent, String(seed));
  rmSync(folder, { recursive: true, force: true });
  for (const [name, manifests] of [
    [files.world, world],
    [files.next, next],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "all.yaml"), textOf(manifests));
  }
  return folder;
}

function textOf(manifests: readonly Manifest[]): string {
  return manifests.map((one) => stringify(one, { aliasDuplicateObjects: false })).join("---\n");
}

function kept({ question, what, answers }: Differing, at: number, folder: string): string {
  for (const [name, { stdout, stderr, code }] of [
    ["base", answers[0]],
    ["here", answers[1]],
  ] as const) {
    const text = `${question.args.join(" ")}\nexit code ${code}\n${stderr}\n${stdout}`;
    writeFileSync(join(folder, `${at}.${name}`), text);
  }
  return `${folder}: northgate ${question.args.join(" ")}: ${what}`;
}
