// What is said with a network plugin, against its answers by another way than policies.

import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { askedIn } from "../../test/support/asked-world.ts";
import { ip } from "../../test/support/facts.ts";
import { connectionsIn, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { apart, givenBy, isAnswered, isMet, plain } from "../../test/support/plugin-judge.ts";
import { sidesOf } from "../explain/sides.ts";
import { judge } from "../policy/evaluate.ts";
import { cnis } from "./answers.ts";

const drawn = fc.tuple(irWorlds.map(apart), irPolicies.map(plain), fc.nat());

test.each(cnis.map((cni) => [cni.name, cni] as const))(
  "%s: no verdict that another cluster may not have",
  (_, cni) => {
    const seen = { sure: 0, open: 0, met: 0 };
    fc.assert(
      fc.property(drawn, ([{ world, pods }, policies, pick]) => {
        const asked = askedIn({ world, pods }, policies, { cni });
        for (const connection of connectionsIn({ world, pods }, ip).filter(
          (_one, at) => at % 11 === pick % 11,
        )) {
          if (!isAnswered(cni, connection, world, policies)) continue;
          const { verdict } = sidesOf(asked, connection, { isDetailed: false });
          const isOpen = isMet(connection, policies);
          const given = givenBy(cni, connection, world, policies);
          if (verdict !== "unknown") expect([...new Set(given)]).toEqual([verdict]);
          // Where nothing is open the verdict is sure, and the judge's.
          if (!isOpen) expect(verdict).toBe(judge(connection, world, policies).verdict);
          seen[verdict === "unknown" ? "open" : "sure"] += 1;
          if (isOpen) seen.met += 1;
        }
      }),
      { numRuns: 120 },
    );
    expect(seen.sure).toBeGreaterThan(300);
    expect(seen.met).toBeGreaterThan(50);
    const isEverOpen = cni.podsInNetworks.matches === "open" || cni.icmp.outcomes.length > 1;
    if (isEverOpen) expect(seen.open).toBeGreaterThan(20);
  },
);
