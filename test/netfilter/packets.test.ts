// The printed filters in the kernel: packets between namespaces, through the rules of one node, get the verdicts that the
// policies mean. What another node's filter decides is not asked here.

import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { isOnPodNetwork, podKey } from "../../src/model/facts.ts";
import { familyOf } from "../../src/model/ip.ts";
import { refusalsOf } from "../../src/netfilter/admission.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import { judge } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { everyPeer } from "../../src/policy/ir.ts";
import type { GeneratedWorld } from "../backend/generator-world.ts";
import { endsOf, world } from "../backend/generator-world.ts";
import { mixedPolicy, policiesOf } from "../backend/generator.ts";
import { contractPolicy, rulesOf } from "../backend/policies.ts";
import { isTied } from "../backend/ties.ts";
import type { Service } from "../proof/pod-network.ts";
import { patience } from "../support/patience.ts";
import { textsOf } from "./nodes.ts";
import type { Stack } from "./node.ts";
import { TestNode } from "./node.ts";
import type { Flavour } from "./tools.ts";
import { describeWithNetfilter, RealFilter } from "./tools.ts";

const flavours: readonly Flavour[] = ["nft", "legacy"];
const services: readonly Service[] = [
  { protocol: "tcp", port: 80 },
  { protocol: "tcp", port: 8080 },
  { protocol: "udp", port: 79 },
];
const own = "n";
const worlds = 6;
jest.setTimeout(patience(120_000));
/** Nothing but silence takes so long: what is denied is rejected at once. */
const silenceMs = patience(3000);

/** Of random policies few deny anything. What none of them decides, this one decides, for some traffic of every pod. */
const last = contractPolicy({
  ...{ name: "last", tier: { name: "z", order: Infinity } },
  rules: {
    ingress: rulesOf({ peers: everyPeer, ports: [{ kind: "port", protocol: "tcp", port: 8080 }] }),
    egress: rulesOf({ peers: everyPeer, ports: [{ kind: "port", protocol: "udp", port: 79 }] }),
  },
});

/** Whose socket has the end: a pod's, a node's, or that of the world outside. */
function nameOf({ ip, pod }: End, { nodes }: GeneratedWorld): string {
  if (pod !== null) return podKey(pod.namespace, pod.name);
  return nodes.find(({ ips }) => ips.includes(ip))?.name ?? "outside";
}

/** `isBridged`: whether the node's pods are. */
function stacksOf(given: GeneratedWorld, isBridged: boolean): readonly Stack[] {
  const ends = Map.groupBy(endsOf(given), (end) => nameOf(end, given));
  return [...ends].map(([name, all]) => ({
    ...{ name, ips: all.map(({ ip }) => ip) },
    isBridged: isBridged && all.some(({ pod }) => pod?.node === own),
  }));
}

/** null: this node's filter is not asked. */
function expected(connection: Connection, given: GeneratedWorld, policies: readonly Policy[]) {
  const { egress, ingress } = judge(connection, given, policies);
  const isLocal = ({ pod }: End) => pod?.node === own;
  const isOwnNode = (end: End) => end.pod === null && nameOf(end, given) === own;
  const sides = [
    ...(isLocal(connection.from) ? [egress.verdict] : []),
    // A node's way to its own pods is not filtered.
    ...(isLocal(connection.to) && !isOwnNode(connection.from) ? [ingress.verdict] : []),
  ];
  return sides.length === 0 ? null : sides.every((verdict) => verdict === "allow");
}

/** Every pod is on a node, no address is two nodes', and the node itself has addresses. */
const place = world.filter(
  ({ nodes, pods }) =>
    nodes.length === new Set(nodes.map(({ name }) => name)).size &&
    nodes.flatMap(({ ips }) => ips).length === new Set(nodes.flatMap(({ ips }) => ips)).size &&
    nodes.some(({ name, ips }) => name === own && ips.length > 0) &&
    pods.filter((pod) => isOnPodNetwork(pod) && pod.node === own && pod.ips.length > 0).length >= 2,
);

for (const flavour of flavours)
  describeWithNetfilter(`packets through a node with iptables-${flavour}`, flavour, () => {
    test.each([
      ["routes between its pods", false],
      ["has its pods on a bridge", true],
    ])("that %s, get the verdicts that the policies mean", async (_what, isBridged) => {
      const seen = { allow: 0, deny: 0 };
      const trial = fc.record({ given: place, policies: policiesOf(mixedPolicy, 5) });
      const property = fc.asyncProperty(trial, async ({ given, policies }) => {
        const admitted = [...policies, last].filter((policy) => refusalsOf(policy).length === 0);
        const results = await probe(given, admitted, { flavour, isBridged });
        const wrong = results.filter(({ verdict, word }) => (word === "allow") !== verdict);
        expect(wrong).toEqual([]);
        // What is denied is rejected: nothing is lost in silence.
        expect(results.filter(({ word }) => word !== "allow" && word !== "ECONNREFUSED")).toEqual([]);
        for (const { verdict } of results) seen[verdict ? "allow" : "deny"]++;
      });
      await fc.assert(property, { numRuns: worlds, endOnFailure: true });
      process.stderr.write(
        `  iptables-${flavour}${isBridged ? ", bridged" : ""}: ${seen.allow} allowed, ${seen.deny} denied\n`,
      );
      expect(seen.allow).toBeGreaterThan(10 * worlds);
      expect(seen.deny).toBeGreaterThan(10 * worlds);
    });
  });

/** Each connection on which the node's filter has a say, with the verdict that policies mean and the word of the one who tried. */
async function probe(
  given: GeneratedWorld,
  policies: readonly Policy[],
  { flavour, isBridged }: { readonly flavour: Flavour; readonly isBridged: boolean },
) {
  const all = stacksOf(given, isBridged);
  const mine = all.find(({ name }) => name === own);
  if (mine === undefined) throw new Error("the node has no address");
  const others = all.filter(({ name }) => name !== own);
  const node = await TestNode.open(mine, others, services);
  try {
    new RealFilter(node.namespace, flavour).load(textsOf(given, policies)(own));
    const asked = connectionsOf(given).flatMap((connection) => {
      const verdict = expected(connection, given, policies);
      return verdict === null || isTied(connection, given, policies) ? [] : [{ connection, verdict }];
    });
    return await Promise.all(
      asked.map(async ({ connection: { from, to, protocol, port }, verdict }) => {
        const source = protocol === "tcp" ? [from.ip] : [];
        const sockets = node.of(nameOf(from, given));
        const word = await sockets.ask("probe", String(protocol), to.ip, port, silenceMs, ...source);
        return { from: from.ip, to: to.ip, protocol, port, verdict, word };
      }),
    );
  } finally {
    await node.close();
  }
}

/** Between each pair of ends, to each service. A pod's udp leaves from its first address, so it has one of the family. */
function connectionsOf(given: GeneratedWorld): readonly Connection[] {
  const ends = endsOf(given).filter(({ pod }) => pod?.node !== null);
  return ends.flatMap((from) =>
    ends
      .filter((to) => familyOf(to.ip) === familyOf(from.ip) && nameOf(to, given) !== nameOf(from, given))
      .flatMap((to) => services.map(({ protocol, port }): Connection => ({ from, to, protocol, port }))),
  );
}
