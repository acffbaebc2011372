// A plan is exact: on random pairs of worlds each connection whose verdict changes is in one class and no other connection is
// in any. The policies are of every kind that the IR can say, ties and isolation among them.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { FactStore } from "../../src/model/fact-store.ts";
import type { Fact } from "../../src/model/object.ts";
import type { PlanWorld } from "../../src/plan/world.ts";
import type { Policy } from "../../src/policy/ir.ts";
import type { IrWorld } from "../support/ir.ts";
import { irPolicies, irWorlds } from "../support/ir.ts";
import { checked } from "./two-judges.ts";

const runs = Number(process.env["PLAN_RUNS"] ?? 150);

export function worldOf(facts: Iterable<Fact>, policies: readonly Policy[]): PlanWorld {
  const store = new FactStore();
  for (const fact of facts) store.put(fact);
  return { facts: store, policies };
}

function factsOf({ world, pods }: IrWorld): readonly Fact[] {
  return [...world.namespaces.values(), ...world.nodes, ...pods];
}

describe("a plan is exact", () => {
  test("where policies are edited", () => {
    let changed = 0;
    fc.assert(
      fc.property(irWorlds, irPolicies, irPolicies, fc.array(fc.nat()), (here, old, other, rolls) => {
        const edited = old.map((policy, at) => {
          const from = other[at];
          const roll = (rolls[at] ?? at) % 4;
          if (from === undefined || roll === 0) return policy;
          if (roll === 1) return { ...policy, priority: from.priority };
          if (roll === 2) return { ...policy, rules: { ...policy.rules, egress: from.rules.egress } };
          return {
            ...policy,
            rules: { ...policy.rules, ingress: [...policy.rules.ingress, ...from.rules.ingress] },
          };
        });
        const facts = factsOf(here);
        const result = checked({ old: worldOf(facts, old), new: worldOf(facts, edited) }, 4000);
        changed += result.changed;
        expect(result.faults).toEqual([]);
      }),
      { numRuns: runs },
    );
    expect(changed).toBeGreaterThan(runs * 3);
  });

  test("where everything is another world's", () => {
    let changed = 0;
    fc.assert(
      fc.property(irWorlds, irPolicies, irWorlds, irPolicies, (here, old, there, next) => {
        const result = checked(
          { old: worldOf(factsOf(here), old), new: worldOf(factsOf(there), next) },
          4000,
        );
        changed += result.changed;
        expect(result.faults).toEqual([]);
      }),
      { numRuns: runs },
    );
    expect(changed).toBeGreaterThan(runs * 3);
  });
});
