// Progress is told after two seconds and once a second from then on, and quick work is quiet.

import { expect, test } from "@jest/globals";
import { progressOf } from "./progress.ts";

test("of quick work nothing is said, of slow work where it is", () => {
  let nowMs = 0;
  const lines: string[] = [];
  const progress = progressOf("pairs", { now: () => nowMs }, (line) => lines.push(line));
  for (const [done, ms] of [
    [0, 0],
    [1, 1999],
    [2, 2000],
    [3, 2999],
    [4, 3000],
    [8, 9000],
    [9, 9001],
  ] as const) {
    nowMs = ms;
    progress(done, 9);
  }
  expect(lines).toEqual([2, 4, 8].map((done) => `northgate: ${done} of 9 pairs\n`));
});
