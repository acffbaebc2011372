// One more policy among 1,000 in the stack: how many others move, counted and printed.

import { expect, test } from "@jest/globals";
import type { PolicyText, RuleText } from "../../../../test/support/ir.ts";
import { irPolicy } from "../../../../test/support/ir.ts";
import type { Policy, Tier } from "../../../policy/ir.ts";
import { StackPlaces } from "./stack-places.ts";

const count = 1000;
const rules = (rulesEach: number): readonly RuleText[] =>
  Array.from({ length: rulesEach }, (_, at) => ({ action: at % 2 === 0 ? "allow" : "deny" }));
const tiersOf: readonly Tier[] = [100, 200, 1_000_000, Infinity].map((order, at) => ({
  name: `t${at}`,
  order,
}));
const tierAt = (at: number): Tier => tiersOf[at] ?? { name: "default", order: 1_000_000 };
const digits = (number: number): string => String(2 * number).padStart(6, "0");

type Spread = (number: number) => Pick<PolicyText, "tier" | "priority" | "tie">;
/** The place of the policy with this number, half numbers between; by what users do. */
const spreads: readonly (readonly [string, Spread])[] = [
  [
    "all in one tier, each its own order",
    (number) => ({ tier: tierAt(2), priority: number, tie: digits(number) }),
  ],
  [
    "in four tiers, orders from 0 on in each",
    (number) => ({ tier: tierAt(Math.floor(number / 250)), priority: number % 250, tie: digits(number) }),
  ],
  [
    "in four tiers, without an order",
    (number) => ({ tier: tierAt(Math.floor(number / 250)), priority: Infinity, tie: digits(number) }),
  ],
];
const arrivals: readonly (readonly [string, (number: number) => number])[] = [
  ["in order", (number) => number],
  ["in reverse", (number) => count - 1 - number],
  // Each number once: 373 has no divisor in common with 1000.
  ["in any order", (number) => (number * 373) % count],
];
/** Of 20 rules each, 1,000 policies have 61 % of an OVN tier. */
const sizes = [
  [10, 2],
  [20, 2],
] as const;
const cases = spreads.flatMap(([spread, of]) =>
  arrivals.flatMap(([order, arriving]) =>
    sizes.map(([size, most]) => [spread, order, size, most, of, arriving] as const),
  ),
);

test.each(cases)(
  "moves two others on average at most: %s, that came %s, of %i rules",
  (name, order, size, most, of, arriving) => {
    const policyAt = (number: number, key = `p${number}`): Policy =>
      irPolicy(key, { ...of(number), ingress: rules(size) });
    const places = new StackPlaces();
    let coming = 0;
    for (let number = 0; number < count; number++) coming += places.upsert(policyAt(arriving(number))).length;
    const oneMore = (when: string): number => {
      const moved: number[] = [];
      for (let at = 0; at < count; at += 7) {
        const one = policyAt(at + 0.5, "one-more");
        expect(places.admit(one)).toEqual([]);
        moved.push(places.upsert(one).length);
        places.remove(one.key);
      }
      const mean = moved.reduce((sum, one) => sum + one, 0) / moved.length;
      process.stdout.write(
        `${name}, ${order}, ${size}${when}: mean ${mean.toFixed(2)}, worst ${Math.max(...moved)}; while they came ${(coming / count).toFixed(1)}\n`,
      );
      return mean;
    };
    expect(oneMore("")).toBeLessThanOrEqual(most);
    // As at a start on a database without rows.
    places.adopt(new Map());
    expect(oneMore(", after a start")).toBeLessThanOrEqual(most);
    // Spreading all of them each time would be 500.
    expect(coming / count).toBeLessThan(45);
  },
);
