// What can says of connections of workloads without pods: each is in exactly one group, with the judge's verdict wherever the pods
// may be, or unknown where two places have different ones. RUNS gives the number of worlds.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { askedIn } from "../../test/support/asked-world.ts";
import { groupsIn } from "../../test/support/can.ts";
import { byName, declaring, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { everyConnectionWith, verdictAnywhere, withWorkloads } from "../../test/support/workload-worlds.ts";
import { unreadIn } from "../../test/support/labellings.ts";
import { untilSeen } from "../../test/support/until-seen.ts";
import { placedSides } from "../explain/many/placed.ts";
import { knownSides } from "../explain/sides.ts";
import type { IpFamily } from "../model/ip.ts";
import { everything } from "../model/selector.ts";
import type { ForeignPolicy } from "../unknowns/foreign.ts";
import { ownNodePolicy } from "../policy/own-node.ts";
import { can } from "./can.ts";

const numRuns = Number(process.env["RUNS"] ?? 15);
const all = { from: null, to: null, protocol: null, port: null };

test("each connection of a workload is in one group, which has the judge's verdict wherever the pods may be", () => {
  const seen = { allow: 0, deny: 0, unknown: 0, byPlace: 0 };
  untilSeen(seen, (times) => {
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
      { numRuns: times * numRuns },
    );
  });
});

test("where a Namespace was not read, or a policy is of a kind that is not read: the verdict of explain", () => {
  const seen = { allow: 0, deny: 0, unknown: 0 };
  const codes = new Set<string>();
  const denying: ForeignPolicy = {
    ...{ group: "k8s.ovn.org", kind: "EgressFirewall", namespace: "red", name: "default", place: null },
    ...{ spec: {}, directions: ["egress"], effect: "deny", reach: "red", selectors: [everything] },
    isAboutNodes: false,
  };
  untilSeen(seen, (times) => {
    fc.assert(
      fc.property(
        irWorlds.map(declaring).map(withWorkloads),
        irPolicies,
        fc.record({ names: fc.subarray(["red", "blue"]), hasForeign: fc.boolean(), pick: fc.nat() }),
        (drawn, policies, { names, hasForeign, pick }) => {
          // Pods and workloads prove their namespaces.
          const homes = [...drawn.pods, ...drawn.workloads].map(({ namespace }) => namespace);
          const missing = homes.filter((name) => !drawn.world.namespaces.has(name));
          const world = { ...unreadIn(drawn, [...names, ...missing]), workloads: drawn.workloads };
          const notRead = { policies: hasForeign ? [denying] : [], sentences: [] };
          const families: readonly IpFamily[] = ["v4"];
          const asked = askedIn(world, policies, { workloads: world.workloads, families, notRead });
          const groupsOf = groupsIn(can(asked, { ...all, protocol: "tcp", port: 80 }));
          const connections = everyConnectionWith(world, policies, new Set(families)).filter(
            ({ from, to, protocol, port, translated }) =>
              translated !== true &&
              [protocol, port].join(" ") === "tcp 80" &&
              [from, to].some(({ pod }) => pod?.isTemplate === true),
          );
          for (const connection of connections.filter((_, at) => at % 5 === pick % 5)) {
            const { verdict } = placedSides(asked, connection, { from: null, to: null }, (one) =>
              knownSides(asked, one, { isDetailed: false }),
            );
            const held = groupsOf(connection);
            expect(held.map((group) => group.verdict)).toEqual([verdict]);
            seen[verdict]++;
            for (const { code } of held[0]?.why ?? []) codes.add(code);
          }
        },
      ),
      { numRuns: times * 2 * numRuns },
    );
  });
  expect([...codes]).toEqual(expect.arrayContaining(["KindNotRead", "NamespaceLabels"]));
});
