// What every dialect owes to any input: it does not throw, leaves the input as it is, and tells a bounded number of findings in
// printable text. And inputs that are deeper and wider than anybody's.

import { expect } from "@jest/globals";
import type { Compiled } from "../../src/policy/contracts/dialect.ts";

/** What `compile` makes of an object that has this spec. `most`: findings. */
export function compiledSafely(spec: unknown, compile: () => Compiled, most = 40): Compiled {
  const before = JSON.stringify(spec);
  const compiled = compile();
  expect(compiled.problems.length).toBeLessThanOrEqual(most);
  for (const { field, message } of compiled.problems) expect(`${field} ${message}`).not.toMatch(/\p{C}/u);
  expect(JSON.stringify(spec)).toBe(before);
  return compiled;
}

/** The same of a dialect whose errors always refuse the object. */
export function compiledOrRefused(spec: unknown, compile: () => Compiled): Compiled {
  const compiled = compiledSafely(spec, compile);
  expect(compiled.policy === null).toBe(compiled.problems.some(({ severity }) => severity === "error"));
  return compiled;
}

/** Lists in lists, 100,000 deep; and a million of them side by side. */
export function deepAndWide(): { readonly deep: unknown; readonly wide: readonly unknown[] } {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  return { deep, wide: Array.from({ length: 1_000_000 }, () => deep) };
}
