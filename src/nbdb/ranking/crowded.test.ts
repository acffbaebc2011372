// The places before AdminNetworkPolicy, three quarters full: 1,000 of Antrea's policies with two rules each have 2,000 of
// 2,766 levels. Whose rows move when one more comes between any two of them, counted and printed.

import { expect, test } from "@jest/globals";
import { everyDialect } from "../../dialects.ts";
import { everything } from "../../model/selector.ts";
import { expectedPriorities } from "../../policy/contracts/dialect.ts";
import type { Action, Policy, PolicyKey } from "../../policy/ir.ts";
import { policyKey, tiers } from "../../policy/ir.ts";
import { Ranking } from "./ranking.ts";

const count = 1000;
const actions: readonly Action[] = ["allow", "deny"];

/** Of a tier with this priority. */
function policyOf(name: string, [tier, priority]: readonly [number, number]): Policy {
  const ref = { group: "", kind: "Policy", namespace: null, name };
  const ingress = actions.map((action, index) => ({
    ...{ index, share: null, name: "", action, subject: null, peers: [], ports: null, logging: null },
  }));
  return {
    ...{ key: policyKey(ref), ref, ownerType: "Policy", shortKind: "P", interleaved: true },
    ...{ tier: tiers.admin, priority: (tier - 251) * 10_001 + priority },
    subject: [{ kind: "pods", namespaces: everything, pods: everything }],
    rules: { ingress, egress: [] },
    unmatched: { ingress: "next", egress: "next" },
    logging: { allow: null, deny: null, pass: null, reject: null },
  };
}

const builtIn = [50, 100, 150, 200, 250];
/** The place of the policy with this number, half numbers between; by what users do. */
const spreads: readonly (readonly [string, (number: number) => readonly [number, number]])[] = [
  ["all in the default tier", (number) => [250, 1 + number]],
  [
    "in all built-in tiers, 200 each",
    (number) => [builtIn[Math.floor(number / 200)] ?? 250, 1 + (number % 200) / 2],
  ],
  ["all in a tier of its own, with fractions", (number) => [120, 1 + number / 100]],
];
const arrivals: readonly (readonly [string, (number: number) => number])[] = [
  ["in order", (number) => number],
  ["in reverse", (number) => count - 1 - number],
  // Each number once: 373 has no divisor in common with 1000.
  ["in any order", (number) => (number * 373) % count],
];

const cases = spreads.flatMap(([spread, of]) =>
  arrivals.map(([order, arriving]) => [spread, order, of, arriving] as const),
);

/** Whose place is another one, by asking all. */
function places(ranking: Ranking, keys: Iterable<PolicyKey>): ReadonlyMap<PolicyKey, number> {
  return new Map(
    Array.from(keys, (key) => [key, ranking.place(key, { index: 0, action: "allow" }).priority]),
  );
}

test.each(cases)(
  "one more moves rows of a few neighbours: %s, that came %s",
  (spread, order, of, arriving) => {
    const ranking = new Ranking("documented", expectedPriorities(everyDialect.policies));
    const keys = new Set<PolicyKey>();
    for (let at = 0; at < count; at++) {
      const number = arriving(at);
      const policy = policyOf(`p-${number}`, of(number));
      expect(ranking.admit(policy)).toEqual([]);
      ranking.upsert(policy);
      keys.add(policy.key);
    }
    let [sum, worst, tried] = [0, 0, 0];
    for (let between = 0; between < count - 1; between += 7) {
      // Each finds the others as the one before left them.
      const one = policyOf("new", of(between + 0.5));
      const before = places(ranking, keys);
      expect(ranking.admit(one)).toEqual([]);
      const named = ranking.upsert(one);
      const now = places(ranking, keys);
      expect([...now.keys()].filter((key) => now.get(key) !== before.get(key)).sort()).toEqual(
        [...named].sort(),
      );
      const rows = named.length * actions.length;
      [sum, worst, tried] = [sum + rows, Math.max(worst, rows), tried + 1];
      ranking.remove(one.key);
    }
    process.stdout.write(
      `${spread}, ${order}: rows of others moved per insert: mean ${(sum / tried).toFixed(2)}, worst ${worst}, of ${tried}\n`,
    );
    // Four neighbours of 1,000, and never more than ten.
    expect(sum / tried).toBeLessThan(4 * actions.length);
    expect(worst).toBeLessThanOrEqual(10 * actions.length);
  },
);

/** Always between the last two that came. */
const middle = (at: number): number => (at % 2 === 0 ? at / 2 : count - (at + 1) / 2);
/** Always at both ends of all that came. */
const outward = (at: number): number => (at % 2 === 0 ? count / 2 + at / 2 : count / 2 - (at + 1) / 2);

test.each([
  ["in order", (at: number) => at],
  ["in reverse", (at: number) => count - 1 - at],
  ["always in the middle", middle],
  ["always at both ends", outward],
] as const)("while 1,000 come %s, each moves few others on average", (order, arriving) => {
  const [, of] = spreads[0] ?? [];
  const ranking = new Ranking("documented", expectedPriorities(everyDialect.policies));
  let [sum, worst] = [0, 0];
  for (let at = 0; at < count; at++) {
    const number = arriving(at);
    const moved = ranking.upsert(policyOf(`p-${number}`, of?.(number) ?? [250, 1])).length;
    [sum, worst] = [sum + moved, Math.max(worst, moved)];
  }
  process.stdout.write(
    `1,000 that come ${order}: others moved: mean ${(sum / count).toFixed(2)}, worst ${worst}\n`,
  );
  // Moving each time to the nearest room alone would be 100 to 215.
  expect(sum / count).toBeLessThan(45);
});
