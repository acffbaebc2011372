// The printed filters in the kernel: packets between namespaces, through the rules of one node, get the verdicts that the
// policies mean. What another node's filter decides is not asked here.

import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import { familyOf } from "../../src/model/ip.ts";
import { refusalsOf } from "../../src/netfilter/admission.ts";
import type { Connection } from "../../src/policy/evaluate.ts";
import { judge } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { everyPeer } from "../../src/policy/ir.ts";
import type { GeneratedWorld } from "../backend/generator-world.ts";
import { endsOf, world } from "../backend/generator-world.ts";
import { mixedPolicy, policiesOf } from "../backend/generator.ts";
import { contractPolicy, rulesOf } from "../backend/policies.ts";
import { isTied } from "../backend/ties.ts";
import { lacking } from "../support/lacking.ts";
import { patience } from "../support/patience.ts";
import { describeWithNetfilter } from "./describe.ts";
import { textsOf } from "./nodes.ts";
import { variants } from "./tools.ts";
import { isFiltered, nameOf, tried } from "./trial.ts";

const services = [
  { protocol: "tcp", port: 80 },
  { protocol: "tcp", port: 8080 },
  { protocol: "udp", port: 79 },
] as const;
const own = "n";
const worlds = 4;
jest.setTimeout(patience(120_000));

/** Of random policies few deny anything. What none of them decides, this one decides, for some traffic of every pod. */
const last = contractPolicy({
  ...{ name: "last", tier: { name: "z", order: Infinity } },
  rules: {
    ingress: rulesOf({ peers: everyPeer, ports: [{ kind: "port", protocol: "tcp", port: 8080 }] }),
    egress: rulesOf({ peers: everyPeer, ports: [{ kind: "port", protocol: "udp", port: 79 }] }),
  },
});

/** Every pod is on a node, no address is two nodes', and the node itself has addresses. */
const place = world.filter(
  ({ nodes, pods }) =>
    nodes.length === new Set(nodes.map(({ name }) => name)).size &&
    nodes.flatMap(({ ips }) => ips).length === new Set(nodes.flatMap(({ ips }) => ips)).size &&
    nodes.some(({ name, ips }) => name === own && ips.length > 0) &&
    pods.filter((pod) => isOnPodNetwork(pod) && pod.node === own && pod.ips.length > 0).length >= 2,
);

for (const { name, tool, flavour } of variants)
  describeWithNetfilter(`packets through a node with ${name}`, flavour, () => {
    test.each([
      ["routes between its pods", false],
      ["has its pods on a bridge", true],
    ])("that %s, get the verdicts that the policies mean", async (_what, isBridged) => {
      const seen = { allow: 0, deny: 0 };
      const trial = fc.record({ given: place, policies: policiesOf(mixedPolicy, 5) });
      const property = fc.asyncProperty(trial, async ({ given, policies }) => {
        const admitted = [...policies, last].filter((policy) => refusalsOf(policy).length === 0);
        const { nodes } = given;
        const judged = connectionsOf(given)
          .filter((connection) => isFiltered(connection, { own, nodes }))
          .filter((connection) => !isTied(connection, given, admitted))
          .map((connection) => ({ connection, isAllowed: isAllowed(connection, given, admitted) }));
        const results = await tried(
          { nodes, own, flavour, isBridged },
          textsOf(given, admitted, {}, tool)(own),
          judged,
        );
        expect(results.filter((one) => (one.word === "allow") !== one.isAllowed)).toEqual([]);
        // What is denied is rejected: nothing is lost in silence.
        expect(results.filter(({ word }) => word !== "allow" && word !== "ECONNREFUSED")).toEqual([]);
        for (const one of results) seen[one.isAllowed ? "allow" : "deny"]++;
      });
      const run = (): Promise<void> => fc.assert(property, { numRuns: worlds, endOnFailure: true });
      expect(await lacking(seen, { allow: 10 * worlds, deny: 10 * worlds }, run)).toEqual([]);
      process.stderr.write(
        `  ${name}${isBridged ? ", bridged" : ""}: ${seen.allow} allowed, ${seen.deny} denied\n`,
      );
    });
  });

/** Each side is asked at the node of its pod. */
function isAllowed(connection: Connection, given: GeneratedWorld, policies: readonly Policy[]): boolean {
  const { egress, ingress } = judge(connection, given, policies);
  const { from, to } = connection;
  const sides = [...(from.pod?.node === own ? [egress] : []), ...(to.pod?.node === own ? [ingress] : [])];
  return sides.every(({ verdict }) => verdict === "allow");
}

/** Between each pair of ends, to each service. */
function connectionsOf(given: GeneratedWorld): readonly Connection[] {
  const ends = endsOf(given).filter(({ pod }) => pod?.node !== null);
  return ends.flatMap((from) =>
    ends
      .filter(
        (to) =>
          familyOf(to.ip) === familyOf(from.ip) && nameOf(to, given.nodes) !== nameOf(from, given.nodes),
      )
      .flatMap((to) => services.map(({ protocol, port }): Connection => ({ from, to, protocol, port }))),
  );
}
