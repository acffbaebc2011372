// Random tests that must have met every kind of case: a run of few worlds may miss a rare one, so more are drawn.

import { expect } from "@jest/globals";

const mostTimes = 8;

/**
 * Runs `check` with twice as many worlds as before until each count of `seen` is positive; fails where eight times as many do
 * not suffice. More worlds, and not the same number again: with one seed those would be the same.
 */
export function untilSeen(seen: Readonly<Record<string, number>>, check: (times: number) => void): void {
  const missing = () => Object.keys(seen).filter((name) => seen[name] === 0);
  for (let times = 1; times <= mostTimes; times *= 2) {
    check(times);
    if (missing().length === 0) return;
  }
  expect(missing()).toEqual([]);
}
