// The order in which jest runs test files: first those that allow themselves the longest time, so that none of them is
// still running alone at the end.

import { readFileSync } from "node:fs";

interface TestFile {
  readonly path: string;
}

/** The largest limit in the file, in milliseconds; 0: none of its own. */
function longestLimit(path: string): number {
  const limits = readFileSync(path, "utf8").matchAll(/\bpatience\(([\d_]+)\)/g);
  return Math.max(0, ...Array.from(limits, ([, digits = "0"]) => Number(digits.replaceAll("_", ""))));
}

export default class LongestFirst {
  sort<T extends TestFile>(tests: readonly T[]): readonly T[] {
    const limits = new Map(tests.map(({ path }) => [path, longestLimit(path)]));
    const limitOf = ({ path }: T) => limits.get(path) ?? 0;
    return [...tests].sort((a, b) => limitOf(b) - limitOf(a) || (a.path < b.path ? -1 : 1));
  }

  /** Jest calls it with what the tests took; nothing is kept. */
  cacheResults(): void {
    // The order follows from the files alone.
  }
}
