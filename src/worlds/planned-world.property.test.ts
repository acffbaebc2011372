// A plan of a cluster with a network plugin: each connection whose verdict changes is in one class, with the verdicts that explain
// gives in the two worlds, and no other connection is in any; and no verdict is given that another cluster with the plugin may not
// have.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { askedIn } from "../../test/support/asked-world.ts";
import type { IrWorld } from "../../test/support/ir.ts";
import { irPolicies, irWorlds } from "../../test/support/ir.ts";
import { apart, givenBy, isAnswered, plain } from "../../test/support/plugin-judge.ts";
import { endOf } from "../../test/plan/sample.ts";
import { checkedClasses } from "../../test/plan/two-judges.ts";
import { rulesByIndex } from "../../test/support/plan-world.ts";
import type { Cni } from "../cni/answers.ts";
import { cnis } from "../cni/answers.ts";
import { sidesOf } from "../explain/sides.ts";
import { judged } from "../plan/judged.ts";
import type { Policy } from "../policy/ir.ts";
import { both } from "../verdicts/worlds.ts";
import { plannedWorld } from "./planned-world.ts";

const worlds = irWorlds.map(apart);
const policies = irPolicies.map(plain);

/** Half of the policies are others. */
function edited(old: readonly Policy[], other: readonly Policy[]): readonly Policy[] {
  return old.map((policy, at) => {
    const rules = other[at]?.rules;
    return rules === undefined || at % 2 === 1 ? policy : { ...policy, rules };
  });
}

function compared(
  cni: Cni,
  here: IrWorld,
  written: { readonly old: readonly Policy[]; readonly new: readonly Policy[] },
) {
  const asked = both((age) => askedIn(here, written[age], { cni }));
  const known = both((age) =>
    plannedWorld({ model: { facts: asked[age].facts, policies: () => written[age] }, cni }, () => false),
  );
  const { classes } = judged(
    known,
    both(() => rulesByIndex),
  );
  const counts = { sure: 0, open: 0 };
  const said: unknown[] = [];
  const given: unknown[] = [];
  const { changed, faults } = checkedClasses(known, classes, 500, (age, [from, to], traffic) => {
    if ("workload" in from || "workload" in to) throw new Error("there are no workloads");
    const connection = { from: endOf(known[age], from), to: endOf(known[age], to), ...traffic };
    const { verdict } = sidesOf(asked[age], connection, { isDetailed: false });
    counts[verdict === "unknown" ? "open" : "sure"] += 1;
    if (verdict !== "unknown" && isAnswered(cni, connection, here.world, written[age])) {
      said.push([verdict]);
      given.push([...new Set(givenBy(cni, connection, here.world, written[age]))]);
    }
    return verdict;
  });
  expect(said).toEqual(given);
  return { changed, faults, ...counts };
}

test.each(cnis.map((cni) => [cni.name, cni] as const))("%s: a plan is exact", (_, cni) => {
  const seen = { changed: 0, sure: 0, open: 0 };
  fc.assert(
    fc.property(worlds, policies, policies, (here, old, other) => {
      const { faults, ...counts } = compared(cni, here, { old, new: edited(old, other) });
      expect(faults).toEqual([]);
      for (const name of ["changed", "sure", "open"] as const) seen[name] += counts[name];
    }),
    { numRuns: 10 },
  );
  expect(seen.changed).toBeGreaterThan(60);
  expect(seen.sure).toBeGreaterThan(500);
  expect(seen.open).toBeGreaterThan(60);
});
