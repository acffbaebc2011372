// Which policies a commit reports as settled.

import { expect, test } from "@jest/globals";
import type { PolicyKey } from "../policy/ir.ts";
import type { UnitKey } from "./rows/unit.ts";
import { sharedUnit, unitOfPolicy } from "./rows/unit.ts";
import { Settlement } from "./settlement.ts";

const [a, b] = ["policies/a", "policies/b"] as unknown as readonly [PolicyKey, PolicyKey];
const [ofA, ofB, set] = [unitOfPolicy(a), unitOfPolicy(b), sharedUnit("set", "all")];

/** Both policies use the set. */
function settlement() {
  const pending = new Set<UnitKey>();
  const refused = new Set<UnitKey>();
  const found = new Settlement({ unitsOf: (policy) => [unitOfPolicy(policy), set] }, pending, refused);
  const commit = (settled: readonly UnitKey[], refusals: readonly PolicyKey[] = []) =>
    found.policiesOf({ settled: new Set(settled) }, refusals);
  return { pending, refused, commit };
}

test("a policy whose own rows were examined is settled, each time; users of a set alone are not", () => {
  const { commit } = settlement();
  expect(commit([ofA, ofB, set])).toEqual([a, b]);
  expect(commit([set])).toEqual([]);
  expect(commit([ofA, set])).toEqual([a]);
});

test("a policy waits for a set that is not written yet", () => {
  const { pending, commit } = settlement();
  pending.add(set);
  expect(commit([ofA])).toEqual([]);
  pending.delete(set);
  expect(commit([set])).toEqual([a]);
  expect(commit([set])).toEqual([]);
});

test("a policy that was refused is settled when the last of its units is", () => {
  const { refused, commit } = settlement();
  expect(commit([ofA, ofB, set])).toEqual([a, b]);
  refused.add(set);
  expect(commit([], [a, b])).toEqual([]);
  expect(commit([ofB])).toEqual([]);
  refused.delete(set);
  expect(commit([set])).toEqual([a, b]);
});

test("what was not examined at all is not settled, though nothing is pending of it", () => {
  const { commit } = settlement();
  expect(commit([], [a])).toEqual([]);
  expect(commit([ofB])).toEqual([b]);
});
