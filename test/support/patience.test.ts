// Limits grow with the machine's slowness and its load, never shrink, and end.

import { expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { factorOf, measureSlowness, patience, slownessVariable } from "./patience.ts";

test.each([
  ["an idle machine of the reference", { measured: 1, load: 0, processors: 2 }, 1],
  ["a faster one", { measured: 0.3, load: 0.5, processors: 8 }, 1],
  ["a slow one", { measured: 4, load: 1, processors: 2 }, 4],
  ["one with other work", { measured: 1.2, load: 12, processors: 2 }, 6],
  ["one that is hopeless", { measured: 70, load: 500, processors: 2 }, 10],
])("on %s", (_, machine, factor) => {
  expect(factorOf(machine)).toBe(factor);
});

test("the measurement of the run's start counts in the processes that run the tests", async () => {
  const measured = process.env[slownessVariable];
  expect(Number(measured)).toBeGreaterThan(0);
  expect(measureSlowness()).toBeGreaterThan(0);
  try {
    process.env[slownessVariable] = "9";
    expect(patience(100)).toBeGreaterThanOrEqual(900);
    // What is waited for has the longer limit too: four tenths of a second are more than the limit without it.
    const begun = performance.now();
    await eventually(() => {
      expect(performance.now() - begun).toBeGreaterThan(400);
    }, 100);
  } finally {
    process.env[slownessVariable] = measured;
  }
});
