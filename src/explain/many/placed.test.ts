// A workload without pods as an end: over random worlds its verdict is the judge's wherever its pods may be, and unknown exactly
// where two places have different ones.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ip } from "../../../test/support/facts.ts";
import type { IrWorld } from "../../../test/support/ir.ts";
import { untilSeen } from "../../../test/support/until-seen.ts";
import { factsIn, irPolicies, irWorlds } from "../../../test/support/ir.ts";
import { FactStore } from "../../model/fact-store.ts";
import type { PodFact } from "../../model/facts.ts";
import { isOnPodNetwork } from "../../model/facts.ts";
import { anyNode } from "../../model/workload.ts";
import type { Connection, End } from "../../policy/evaluate.ts";
import type { Policy } from "../../policy/ir.ts";
import { ownNodePolicy } from "../../policy/own-node.ts";
import { outcomes } from "../../policy/ties.ts";
import { AskedWorld } from "../asked.ts";
import { placedSides } from "./placed.ts";
import { sidesOf } from "../sides.ts";

const traffic = [
  { protocol: "tcp", port: 80 },
  { protocol: "udp", port: 80 },
  { protocol: "icmp", port: 0 },
] as const;

/** Those of which the networks of random policies are made, and one outside of all. */
const addresses = [...Array.from({ length: 16 }, (_, at) => `10.0.0.${at}`), "198.51.100.1"].map(ip);

function templateOf(pod: PodFact): PodFact {
  return { ...pod, name: `Deployment:${pod.name}`, node: anyNode, ips: [], isTemplate: true };
}

interface Drawn {
  readonly asked: AskedWorld;
  readonly templates: readonly End[];
  readonly others: readonly End[];
}

/** Every second pod is not there yet. */
function drawnOf({ world, pods }: IrWorld, policies: readonly Policy[]): Drawn {
  const facts = new FactStore();
  const there = pods.filter((_, at) => at % 2 === 1);
  for (const fact of [...factsIn(world), ...there]) facts.put(fact);
  const asked = new AskedWorld(
    { facts, records: () => [], policies: () => policies },
    { dialects: [], placeOf: () => null },
  );
  const coming = pods.filter((pod, at) => at % 2 === 0 && isOnPodNetwork(pod)).map(templateOf);
  return {
    asked,
    templates: coming.map((pod) => ({ ip: ip("0.0.0.0"), pod })),
    others: [
      ...there.filter(isOnPodNetwork).flatMap((pod) => pod.ips.map((one) => ({ ip: one, pod }))),
      ...["172.18.0.2", "198.51.100.7"].map((text) => ({ ip: ip(text), pod: null })),
    ],
  };
}

function everywhere({ pod, ip: own }: End, taken: ReadonlySet<string>): readonly End[] {
  if (pod?.isTemplate !== true) return [{ pod, ip: own }];
  return addresses
    .filter((one) => !taken.has(one))
    .flatMap((one) => [anyNode, "n"].map((node) => ({ ip: one, pod: { ...pod, node, ips: [one] } })));
}

test("its verdict is that of every address and node, and unknown where they differ", () => {
  const seen = { allow: 0, deny: 0, unknown: 0, byAddress: 0 };
  untilSeen(seen, (times) => {
    fc.assert(
      fc.property(irWorlds, irPolicies, fc.boolean(), (drawn, some, hasWay) => {
        const own = Iterator.from(drawn.world.nodes).map((node) => ownNodePolicy(node, "namespaced"));
        const policies = hasWay ? [...some, ...own] : some;
        const { asked, templates, others } = drawnOf(drawn, policies);
        const taken = new Set<string>(asked.taken);
        const ends = [...templates, ...others];
        const pairs = ends.flatMap((from) => ends.filter((to) => to !== from).map((to) => ({ from, to })));
        const isAsked = ({ from, to }: (typeof pairs)[number]) =>
          [from, to].some((one) => templates.includes(one));
        const connections = pairs
          .filter(isAsked)
          .flatMap((pair) => traffic.map((kind): Connection => ({ ...pair, ...kind })));
        for (const connection of connections) {
          const told = placedSides(asked, connection, { from: null, to: null }, (one) =>
            sidesOf(asked, one, { isDetailed: false }),
          );
          const verdicts = new Set(
            everywhere(connection.from, taken).flatMap((from) =>
              everywhere(connection.to, taken).flatMap((to) => [
                ...outcomes({ ...connection, from, to }, drawn.world, policies).verdicts,
              ]),
            ),
          );
          const [only = "allow"] = verdicts;
          expect(told.verdict).toBe(verdicts.size > 1 ? "unknown" : only);
          seen[told.verdict]++;
          if (told.caveats.some(({ code }) => code === "NoAddress")) seen.byAddress++;
        }
      }),
      { numRuns: times * 15 },
    );
  });
});
