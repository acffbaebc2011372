// The cases of Cyclonus' default in parts of some minutes, so that a run which ends early keeps what it has, and a later one goes on.
// Cyclonus chooses cases by tags alone: a part is the cases with its tags that no part before has, and the last part is the rest. Cyclonus
// counts the cases of each part from 1; the names of cases have their numbers in the whole.

import { spawnSync } from "node:child_process";
import { pathOf } from "./programs.ts";

/** What of Cyclonus' cases a run has: those with one of `include`, if any are given, and with none of `exclude`. */
export interface CyclonusTags {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export interface Part extends CyclonusTags {
  readonly name: string;
}

/** What Cyclonus leaves out unless --exclude is given. */
const leftOutByDefault = ["multi-peer", "upstream-e2e", "example", "end-port", "namespaces-by-default-label"];

/** The cases with one of these tags; a tag that is left out by default is not, when it is asked for. */
export function casesWith(tags: readonly string[]): CyclonusTags {
  return { include: tags, exclude: leftOutByDefault.filter((tag) => !tags.includes(tag)) };
}

const tagsOfParts: readonly (readonly [name: string, tags: readonly string[]])[] = [
  ["targets", ["target"]],
  ["actions", ["action"]],
  ["conflicts", ["conflict"]],
  ["peers", ["peer-pods", "peer-ipblock"]],
  ["several-ports", ["multi-port/protocol"]],
  ["named-ports", ["named-port"]],
  ["numbered-ports", ["numbered-port"]],
  ["rest", []],
];

/** In the order in which they run. */
export const parts: readonly Part[] = tagsOfParts.map(([name, include], at) => ({
  ...{ name, include },
  exclude: [...leftOutByDefault, ...tagsOfParts.slice(0, at).flatMap(([, tags]) => tags)],
}));

interface Case {
  readonly number: number;
  readonly tags: readonly string[];
}

/** `list`: what Cyclonus prints of all cases of its default. */
export function listedCases(list: string): readonly Case[] {
  return [...list.matchAll(/^test #(\d+): .*\n - tags: (.*)$/gm)].map(([, number, tags = ""]) => {
    return { number: Number(number), tags: tags.split(", ") };
  });
}

/** The numbers in the whole of a part's cases, in their order. */
export function numbersOf({ include, exclude }: CyclonusTags, cases: readonly Case[]): readonly number[] {
  return cases
    .filter(({ tags }) => include.length === 0 || include.some((tag) => tags.includes(tag)))
    .filter(({ tags }) => !exclude.some((tag) => tags.includes(tag)))
    .map(({ number }) => number);
}

/** All cases of the default, as the program lists them; it needs no cluster for that. */
export function casesOfCyclonus(): readonly Case[] {
  const { stdout, stderr } = spawnSync(pathOf("cyclonus"), ["generate", "--mock", "--dry-run"], {
    ...{ encoding: "utf8", maxBuffer: 2 ** 28 },
  });
  const cases = listedCases(stdout);
  if (cases.length === 0) throw new Error(`cyclonus lists no cases: ${stderr}`);
  return cases;
}
