// Removals are held against the judge, connection by connection and order by order, in random worlds: one that is without effect
// has none, one that is not has one, and all that are kept have none together.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { everyConnection, everyOrder } from "../../../test/support/ir-brute.ts";
import type { IrWorld } from "../../../test/support/ir.ts";
import { byName, declaring, factsIn, irPolicies, irWorlds } from "../../../test/support/ir.ts";
import { podGroup } from "../../../test/support/facts.ts";
import { everything } from "../../model/selector.ts";
import { FactStore } from "../../model/fact-store.ts";
import type { Connection } from "../../policy/evaluate.ts";
import { judge } from "../../policy/evaluate.ts";
import type { Policy } from "../../policy/ir.ts";
import { directions, tiers } from "../../policy/ir.ts";
import { isSameTier } from "../../policy/order.ts";
import type { Removable } from "./removals.ts";
import { Removals } from "./removals.ts";
import { Reach } from "../reach.ts";

function storeOf({ world, pods }: IrWorld): FactStore {
  const facts = new FactStore();
  for (const fact of [...factsIn(world), ...pods]) facts.put(fact);
  return facts;
}

/** Few places, all pods as subjects, and two policies that say the same: many are redundant. */
const alike = irPolicies.map((policies) => {
  const few = policies.slice(0, 3).map((policy, at): Policy => ({
    ...policy,
    subject: [podGroup(everything)],
    ...(at > 0 ? { tier: tiers.namespaced, priority: at } : {}),
  }));
  const [first] = few;
  return first === undefined ? few : [...few, { ...first, key: `${first.key}-again` as Policy["key"] }];
});
const isolating = alike.map((policies) =>
  policies.map((policy): Policy => ({ ...policy, unmatched: { ingress: "deny", egress: "next" } })),
);
const some = fc.oneof(irPolicies, alike, isolating, alike.map(byName));
const worlds = irWorlds.map(declaring);

/** What the tier does, by connection and side, in every order. */
function effects(
  tier: Policy["tier"],
  policies: readonly Policy[],
  { world }: IrWorld,
  connections: readonly Connection[],
) {
  const orders = everyOrder(policies);
  return connections.map((connection) => {
    const judged = orders.map((order) => judge(connection, world, order));
    return directions.map((direction) => {
      const steps = judged.map((one) =>
        one[direction].steps.find(({ policy }) => isSameTier(policy.tier, tier)),
      );
      const actions = steps.map((step) => {
        if (step === undefined) return "";
        const action = step.rule?.action ?? "deny";
        return action === "reject" ? "deny" : action;
      });
      return [...new Set(actions)].sort().join();
    });
  });
}

function unitsOf(policies: readonly Policy[]): readonly Removable[] {
  return policies.flatMap((policy): Removable[] => [
    { policy, rule: null },
    ...directions.flatMap((direction) =>
      policy.rules[direction].map(({ index }) => ({ policy, rule: { direction, index } })),
    ),
  ]);
}

function without(policies: readonly Policy[], { policy, rule }: Removable): readonly Policy[] {
  if (rule === null) return policies.filter(({ key }) => key !== policy.key);
  return policies.map((one) => {
    if (one.key !== policy.key) return one;
    const left = one.rules[rule.direction].filter(({ index }) => index !== rule.index);
    return { ...one, rules: { ...one.rules, [rule.direction]: left } };
  });
}

/** Whether it decides or passes something in some order. */
function says(
  { policy, rule }: Removable,
  policies: readonly Policy[],
  { world }: IrWorld,
  all: readonly Connection[],
) {
  return everyOrder(policies).some((order) =>
    all.some((connection) => {
      const judged = judge(connection, world, order);
      return directions.some((direction) =>
        judged[direction].steps.some(
          (step) =>
            step.policy.key === policy.key &&
            step.rule !== null &&
            (rule === null || (rule.direction === direction && rule.index === step.rule.index)),
        ),
      );
    }),
  );
}

test("a removal is without effect exactly when the judge says the same of every tier without it", () => {
  const counts = { same: 0, changed: 0, silent: 0 };
  fc.assert(
    fc.property(worlds, some, fc.nat(), (world, policies, drawn) => {
      const units = unitsOf(policies);
      const unit = units[drawn % Math.max(1, units.length)];
      if (unit === undefined) return;
      const all = everyConnection(world, policies);
      const replacing = new Removals(new Reach(policies, storeOf(world))).replacing(unit);
      const { tier } = unit.policy;
      const before = effects(tier, policies, world, all);
      const isSame =
        JSON.stringify(before) === JSON.stringify(effects(tier, without(policies, unit), world, all));
      if (replacing !== null) {
        counts.same += 1;
        expect(isSame).toBe(true);
        expect(replacing.every(({ policy }) => isSameTier(policy.tier, tier))).toBe(true);
      } else if (!isSame) counts.changed += 1;
      else {
        counts.silent += 1;
        expect(says(unit, policies, world, all)).toBe(false);
      }
    }),
    { numRuns: 50 },
  );
  expect(Math.min(counts.same, counts.changed)).toBeGreaterThan(0);
});

test("all that are kept are without effect together", () => {
  let removed = 0;
  fc.assert(
    fc.property(worlds, some, (world, policies) => {
      const removals = new Removals(new Reach(policies, storeOf(world)));
      let left = policies;
      for (const unit of unitsOf(policies).toReversed()) {
        if (removals.replacing(unit) === null) continue;
        removals.remove(unit);
        left = without(left, unit);
        removed += 1;
      }
      const all = everyConnection(world, policies);
      const verdicts = (some: readonly Policy[]) =>
        all.map((one) =>
          [...new Set(everyOrder(some).map((order) => judge(one, world.world, order).verdict))].sort(),
        );
      expect(verdicts(left)).toEqual(verdicts(policies));
    }),
    { numRuns: 25 },
  );
  expect(removed).toBeGreaterThan(5);
});
