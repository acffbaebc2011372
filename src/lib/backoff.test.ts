import { expect, test } from "@jest/globals";
import { Backoff } from "./backoff.ts";

const steps = (backoff: Backoff, count: number) => Array.from({ length: count }, () => backoff.next());

test("doubles up to the limit and starts over after a reset", () => {
  const backoff = new Backoff({ initialMs: 100, maxMs: 1000, random: () => 1 });
  expect(steps(backoff, 6)).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(backoff.failures).toBe(6);
  backoff.reset();
  expect(backoff.failures).toBe(0);
  expect(backoff.next()).toBe(100);
});

test("draws from the upper half of a step", () => {
  expect(steps(new Backoff({ initialMs: 100, maxMs: 1000, random: () => 0 }), 3)).toEqual([50, 100, 200]);
  expect(steps(new Backoff({ initialMs: 100, maxMs: 1000, random: () => 0.5 }), 1)).toEqual([75]);
});

test("stays at the limit however often it fails", () => {
  const backoff = new Backoff({ initialMs: 1, maxMs: 60_000, random: () => 1 });
  expect(steps(backoff, 2000).at(-1)).toBe(60_000);
});
