// What can says of connections of workloads without pods: each is in exactly one group, with the judge's verdict wherever the pods
// may be, or unknown where two places have different ones. RUNS gives the number of worlds.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { askedIn } from "../../test/support/asked-world.ts";
import { groupsIn } from "../../test/support/can.ts";
import { byName, declaring, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { everyConnectionWith, verdictAnywhere, withWorkloads } from "../../test/support/workload-worlds.ts";
import type { IpFamily } from "../model/ip.ts";
import { ownNodePolicy } from "../policy/own-node.ts";
import { can } from "./can.ts";

const numRuns = Number(process.env["RUNS"] ?? 15);
const all = { from: null, to: null, protocol: null, port: null };

test("each connection of a workload is in one group, which has the judge's verdict wherever the pods may be", () => {
  const seen = { allow: 0, deny: 0, unknown: 0, byPlace: 0 };
  fc.assert(
    fc.property(
      irWorlds.map(declaring).map(withWorkloads),
      fc.oneof(irPolicies, irPolicies.map(byName)),
      fc.record({ hasWay: fc.boolean(), isDual: fc.boolean(), pick: fc.nat() }),
      (world, some, { hasWay, isDual, pick }) => {
        const own = Iterator.from(world.world.nodes).map((node) => ownNodePolicy(node, "namespaced"));
        const policies = hasWay ? [...some, ...own] : some;
        const families: readonly IpFamily[] = isDual ? ["v4", "v6"] : ["v4"];
        const report = can(askedIn(world, policies, { workloads: world.workloads, families }), all);
        const groupsOf = groupsIn(report);
        const connections = everyConnectionWith(world, policies, new Set(families)).filter(
          ({ from, to, translated }) =>
            translated !== true && [from, to].some(({ pod }) => pod?.isTemplate === true),
        );
        for (const connection of connections.filter((_, at) => at % 7 === pick % 7)) {
          const verdict = verdictAnywhere(connection, world, policies);
          const held = groupsOf(connection);
          expect(held.map((group) => group.verdict)).toEqual([verdict]);
          seen[verdict]++;
          if (held[0]?.why.some(({ code }) => code === "NoAddress") === true) seen.byPlace++;
          if (verdict === "unknown") expect(held[0]?.why).not.toEqual([]);
        }
      },
    ),
    { numRuns },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});
