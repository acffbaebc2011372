// What is said with a network plugin, against its answers by another way than policies.

import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { askedIn } from "../../test/support/asked-world.ts";
import { ip, namespace, pod, podGroup } from "../../test/support/facts.ts";
import { connectionsIn, irPolicies, irPolicy, irWorlds } from "../../test/support/ir.ts";
import { apart, givenBy, isAnswered, isMet, plain } from "../../test/support/plugin-judge.ts";
import { sidesOf } from "../explain/sides.ts";
import { everything } from "../model/selector.ts";
import { judge } from "../policy/evaluate.ts";
import { policyKey } from "../policy/ir.ts";
import { cnis } from "./answers.ts";

const drawn = fc.tuple(irWorlds.map(apart), irPolicies.map(plain), fc.nat());

test.each(cnis.map((cni) => [cni.name, cni] as const))(
  "%s: no verdict that another cluster may not have",
  (_, cni) => {
    const seen = { sure: 0, open: 0, met: 0 };
    fc.assert(
      fc.property(drawn, ([{ world, pods }, policies, pick]) => {
        const asked = askedIn({ world, pods }, policies, { cni });
        const said: unknown[] = [];
        const expected: unknown[] = [];
        for (const connection of connectionsIn({ world, pods }, ip).filter(
          (_one, at) => at % 11 === pick % 11,
        )) {
          if (!isAnswered(cni, connection, world, policies)) continue;
          const { verdict } = sidesOf(asked, connection, { isDetailed: false });
          const isOpen = isMet(connection, policies);
          const given = givenBy(cni, connection, world, policies);
          if (verdict !== "unknown") {
            said.push([verdict]);
            expected.push([...new Set(given)]);
          }
          // Where nothing is open the verdict is sure, and the judge's.
          if (!isOpen) {
            said.push(verdict);
            expected.push(judge(connection, world, policies).verdict);
          }
          seen[verdict === "unknown" ? "open" : "sure"] += 1;
          if (isOpen) seen.met += 1;
        }
        expect(said).toEqual(expected);
      }),
      { numRuns: 120 },
    );
    expect(seen.sure).toBeGreaterThan(300);
    expect(seen.met).toBeGreaterThan(50);
    const isEverOpen = cni.podsInNetworks.matches === "open" || cni.icmp.outcomes.length > 1;
    if (isEverOpen) expect(seen.open).toBeGreaterThan(20);
  },
);

test("the ports of a range above its first are open, and no others", () => {
  const [generic] = cnis;
  const policy = irPolicy("np", {
    subject: [podGroup(everything)],
    unmatched: { ingress: "deny", egress: "next" },
    ingress: [{ ports: [{ kind: "range", protocol: "tcp", start: 80, end: 90 }] }],
  });
  const ref = { ...policy.ref, group: "networking.k8s.io", kind: "NetworkPolicy" };
  const pods = [1, 2].map((at) => pod("shop", `p${at}`, { ips: [`10.0.0.${at}`] }));
  const [from, to] = pods.map((one) => ({ ip: one.ips[0]!, pod: one }));
  const world = { namespaces: new Map([["shop", namespace("shop")]]), nodes: [], hostNames: [] };
  const asked = askedIn({ world, pods }, [{ ...policy, ref, key: policyKey(ref) }], { cni: generic! });
  const told = [79, 80, 81, 90, 91].map((port) => {
    const connection = { from: from!, to: to!, protocol: "tcp", port } as const;
    const { verdict, caveats } = sidesOf(asked, connection, { isDetailed: false });
    return [verdict, ...caveats.map(({ text }) => text.includes("endPort"))];
  });
  expect(told).toEqual([["deny"], ["allow"], ["unknown", true], ["unknown", true], ["deny"]]);
});
