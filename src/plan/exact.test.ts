// A plan is exact: on random pairs of worlds each connection whose verdict changes is in one class and no other connection is
// in any. The policies are of every kind that the IR can say, ties and isolation among them.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { FactStore } from "../model/fact-store.ts";
import type { Fact } from "../model/object.ts";
import { ownNodePolicy } from "../policy/own-node.ts";
import type { PlanWorld } from "./world.ts";
import { everything } from "../model/selector.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import { tiers } from "../policy/ir.ts";
import { deploymentOf, podGroup } from "../../test/support/facts.ts";
import type { IrWorld } from "../../test/support/ir.ts";
import { byName, declaring, factsIn, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { checked } from "../../test/plan/two-judges.ts";

const runs = Number(process.env["PLAN_RUNS"] ?? 60);

function worldOf(facts: Iterable<Fact>, policies: readonly Policy[]): PlanWorld {
  const store = new FactStore();
  for (const fact of facts) store.put(fact);
  return { facts: store, policies };
}

function factsOf({ world, pods }: IrWorld): readonly Fact[] {
  return [...factsIn(world), ...pods];
}

/** Rules that cover much meet each other more often, and priorities of their own close tiers. */
const policies: fc.Arbitrary<readonly Policy[]> = fc
  .tuple(irPolicies, fc.array(fc.nat({ max: 3 }), { minLength: 4, maxLength: 4 }), fc.nat({ max: 2 }))
  .map(([drawn, rolls, place]) =>
    drawn.map((policy, at) => {
      const ranked = placed(policy, at, place);
      const roll = rolls[at] ?? 0;
      return roll === 0 ? ranked : broad(ranked, roll);
    }),
  );

/** 0: where it was drawn. 1: by itself. 2: where its rules take turns with others. */
function placed(policy: Policy, at: number, place: number): Policy {
  if (place === 0) return policy;
  return place === 1
    ? { ...policy, priority: (at * 7) % 5 }
    : { ...policy, tier: tiers.admin, interleaved: true };
}

function broad(policy: Policy, roll: number): Policy {
  const rules = (direction: Direction) =>
    policy.rules[direction].map((rule, at): Rule => {
      const peers = at % 2 === 0 ? rule.peers : [everyone];
      return { ...rule, subject: null, peers: roll === 1 ? peers : [everyone] };
    });
  const subject = [podGroup(everything)];
  return { ...policy, subject, rules: { egress: rules("egress"), ingress: rules("ingress") } };
}

const everyone = { kind: "everything" } as const;

describe("a plan is exact", () => {
  test("where policies are edited", () => {
    let changed = 0;
    fc.assert(
      fc.property(irWorlds, policies, policies, fc.array(fc.nat()), (here, old, other, rolls) => {
        const edited = old.map((policy, at) => {
          const from = other[at];
          const roll = (rolls[at] ?? at) % 5;
          if (from === undefined || roll === 0) return policy;
          if (roll === 1) return { ...policy, priority: from.priority };
          if (roll === 4) return { ...policy, tier: from.tier, tie: from.tie ?? "c" };
          if (roll === 2) return { ...policy, rules: { ...policy.rules, egress: from.rules.egress } };
          const joined = [...policy.rules.ingress, ...from.rules.ingress];
          const ingress = joined.map((rule, index) => ({ ...rule, index }));
          return { ...policy, rules: { ...policy.rules, ingress } };
        });
        const facts = factsOf(here);
        const result = checked({ old: worldOf(facts, old), new: worldOf(facts, edited) }, 2000);
        changed += result.changed;
        expect(result.faults).toEqual([]);
      }),
      { numRuns: runs },
    );
    expect(changed).toBeGreaterThan(runs);
  });

  test("where pods declare the ports that rules name", () => {
    let changed = 0;
    fc.assert(
      fc.property(irWorlds, policies, policies, (here, old, next) => {
        const facts = factsOf(declaring(here));
        const [before, after] = [old, next].map((all) => worldOf(facts, byName(all)));
        if (before === undefined || after === undefined) return;
        const result = checked({ old: before, new: after }, 2000);
        changed += result.changed;
        expect(result.faults).toEqual([]);
      }),
      { numRuns: runs },
    );
    expect(changed).toBeGreaterThan(runs);
  });

  test("where pods are not there yet, and workloads stand for them", () => {
    let changed = 0;
    let unknown = 0;
    fc.assert(
      fc.property(irWorlds, policies, policies, fc.boolean(), (here, old, next, hasWay) => {
        const { world, pods } = declaring(here);
        const there = pods.filter((_, at) => at % 2 === 0);
        const workloads = pods.filter((_, at) => at % 2 === 1).map(deploymentOf);
        const facts = [...factsIn(world), ...there];
        const way = hasWay ? Array.from(world.nodes, (node) => ownNodePolicy(node, "namespaced")) : [];
        const [before, after] = [[...old, ...way], byName(next)].map((all) => ({
          ...worldOf(facts, all),
          workloads,
        }));
        if (before === undefined || after === undefined) return;
        const result = checked({ old: before, new: after }, 600);
        changed += result.changed;
        unknown += result.plan.classes.filter((one) => [one.old, one.new].includes("unknown")).length;
        expect(result.faults).toEqual([]);
      }),
      { numRuns: runs / 5 },
    );
    expect(changed).toBeGreaterThan(runs / 3);
    expect(unknown).toBeGreaterThan(0);
  });

  test("where everything is another world's", () => {
    let changed = 0;
    fc.assert(
      fc.property(irWorlds, policies, irWorlds, policies, (here, old, there, next) => {
        const result = checked(
          { old: worldOf(factsOf(here), old), new: worldOf(factsOf(there), next) },
          2000,
        );
        changed += result.changed;
        expect(result.faults).toEqual([]);
      }),
      { numRuns: runs },
    );
    expect(changed).toBeGreaterThan(runs * 3);
  });
});
