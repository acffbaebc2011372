// The order in which jest runs test files: the longest first, so that none of them is still running alone at the end. How long
// a file took in the last run of all is kept in .cache, by its path in the repository, so that a clone with another place knows it
// too. A file that it does not know counts by long-files.json, and one that is not there either by the time that it allows itself.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

interface TestFile {
  readonly path: string;
}

interface Results {
  readonly testResults: readonly {
    readonly testFilePath: string;
    readonly perfStats: { readonly runtime: number };
  }[];
}

const repository = fileURLToPath(new URL("../..", import.meta.url));
const kept = join(repository, ".cache", "jest", "durations.json");
/** Seconds in a run of all on two cores, of files that take 20 or more. */
export const longFiles = JSON.parse(
  readFileSync(new URL("long-files.json", import.meta.url), "utf8"),
) as Readonly<Record<string, number>>;
/** A run of fewer files says little: they were alone, or beside something else. */
const fewest = 100;
/** Limits are bounds against hanging: a file takes about such a part of its own. */
const usualPart = 1 / 10;

/** The largest limit in the file, in milliseconds; 0: none of its own. */
function longestLimit(path: string): number {
  const limits = readFileSync(path, "utf8").matchAll(/\bpatience\(([\d_]+)\)/g);
  return Math.max(0, ...Array.from(limits, ([, digits = "0"]) => Number(digits.replaceAll("_", ""))));
}

/** Milliseconds by path below the repository; nothing where the file is missing or broken. */
function durations(): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(readFileSync(kept, "utf8"));
    return typeof read === "object" && read !== null ? { ...read } : {};
  } catch {
    return {};
  }
}

/** @param known milliseconds by path below the repository. */
export function longestFirst<T extends TestFile>(
  tests: readonly T[],
  known: Readonly<Record<string, unknown>>,
): readonly T[] {
  const expected = new Map(tests.map(({ path }) => [path, expectedMs(path, known)]));
  const of = ({ path }: T) => expected.get(path) ?? 0;
  return [...tests].sort((a, b) => of(b) - of(a) || (a.path < b.path ? -1 : 1));
}

function expectedMs(path: string, known: Readonly<Record<string, unknown>>): number {
  const name = relative(repository, path);
  const before = known[name];
  if (typeof before === "number") return before;
  const seconds = longFiles[name];
  return seconds === undefined ? longestLimit(path) * usualPart : seconds * 1000;
}

export default class LongestFirst {
  sort<T extends TestFile>(tests: readonly T[]): readonly T[] {
    return longestFirst(tests, durations());
  }

  /** Jest calls it with all files of the run, at its end. */
  cacheResults(_tests: readonly TestFile[], { testResults }: Results): void {
    if (testResults.length < fewest) return;
    const took = testResults.map(
      ({ testFilePath, perfStats }) => [relative(repository, testFilePath), perfStats.runtime] as const,
    );
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(kept, JSON.stringify({ ...durations(), ...Object.fromEntries(took) }));
  }
}
