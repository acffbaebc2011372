// What pods lose is what the judge says, on random pairs of worlds: a pod that reached one of the servers for certain and reaches none
// for certain has lost them, and no other has. The same of workloads, wherever their pods may be.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Asked } from "../../../test/plan/sample.ts";
import { verdictOf } from "../../../test/plan/sample.ts";
import { deploymentOf, namedPort, namespace, node, pod, workload } from "../../../test/support/facts.ts";
import { factsIn, irPolicies, irPolicy, irWorlds, network } from "../../../test/support/ir.ts";
import type { Destination, Needs } from "../../analysis/needs.ts";
import { dnsServers, podsIn, usualNeeds } from "../../analysis/needs.ts";
import { refOfWorkload, refText } from "../../analysis/ref.ts";
import { FactStore } from "../../model/fact-store.ts";
import type { PodFact } from "../../model/facts.ts";
import { isOnPodNetwork, podKey } from "../../model/facts.ts";
import type { IpFamily } from "../../model/ip.ts";
import { familyOf, parseIp } from "../../model/ip.ts";
import type { Workload } from "../../model/workload.ts";
import { workloadKey } from "../../model/workload.ts";
import type { Policy } from "../../policy/ir.ts";
import { tiers } from "../../policy/ir.ts";
import { ownNodePolicy } from "../../policy/own-node.ts";
import { outcomes } from "../../policy/ties.ts";
import { comparisonsOf } from "../../verdicts/comparison.ts";
import { podFamiliesIn } from "../../verdicts/pod-families.ts";
import { both } from "../../verdicts/worlds.ts";
import { lossesOf } from "./lost.ts";

/** Certain verdicts alone count. */
function says(
  verdict: "allow" | "deny",
  pod: PodFact,
  to: Destination,
  facts: FactStore,
  policies: readonly Policy[],
) {
  const ip = pod.ips.find((one) => familyOf(one) === familyOf(to.end.ip));
  if (ip === undefined || to.end.pod === pod) return null;
  const connection = { from: { ip, pod }, to: to.end, protocol: to.protocol, port: to.port };
  const { verdicts } = outcomes(connection, facts, policies);
  return verdicts.size === 1 && verdicts.has(verdict);
}

test("losses are those of the judge", () => {
  let [lost, kept] = [0, 0];
  fc.assert(
    fc.property(irWorlds, irPolicies, irPolicies, ({ world, pods }, old, next) => {
      const facts = new FactStore();
      for (const fact of [...factsIn(world), ...pods]) facts.put(fact);
      const outside = parseIp("198.51.100.7");
      const servers = [...(pods[0]?.ips ?? []), ...(outside === null ? [] : [outside])];
      const needs: Needs = { ...usualNeeds, dns: servers.map((ip) => ({ ip, port: 53 })) };
      const worlds = { old: { facts, policies: old }, new: { facts, policies: next } };
      const losses = lossesOf(comparisonsOf(worlds), needs, facts).filter(({ code }) => code === "DNS");
      for (const protocol of ["udp", "tcp"] as const) {
        const found = losses.find((loss) => loss.protocol === protocol)?.pods ?? new Set();
        const asked = dnsServers(needs, facts, protocol);
        for (const pod of podsIn(facts)) {
          const was = asked.map((to) => says("allow", pod, to, facts, old));
          const is = asked.map((to) => says("deny", pod, to, facts, next)).filter((one) => one !== null);
          const isLost = was.includes(true) && is.length > 0 && is.every((one) => one);
          expect([pod.namespace, pod.name, found.has(podKey(pod.namespace, pod.name))]).toEqual([
            pod.namespace,
            pod.name,
            isLost,
          ]);
          if (isLost) lost++;
          else kept++;
        }
      }
    }),
    { numRuns: 150 },
  );
  expect(lost).toBeGreaterThan(10);
  expect(kept).toBeGreaterThan(100);
});

test("what workloads lose is what the judge says of their pods wherever they are", () => {
  const seen = { lost: 0, kept: 0, ofWorkloads: 0 };
  fc.assert(
    fc.property(irWorlds, irPolicies, irPolicies, ({ world, pods }, old, next) => {
      const facts = new FactStore();
      const serving = pods.map((one, at) => (at < 2 ? { ...one, ports: [...one.ports, ...dnsPorts] } : one));
      const made = serving.filter((_, at) => at % 2 === 0).map(deploymentOf);
      // On the network of a node no pod is an end.
      const workloads = made.filter(({ template }) => isOnPodNetwork(template));
      for (const fact of [...factsIn(world), ...serving.filter((_, at) => at % 2 === 1)]) facts.put(fact);
      const worlds = { old: { facts, workloads, policies: old }, new: { facts, workloads, policies: next } };
      const losses = lossesOf(comparisonsOf(worlds), usualNeeds, facts).filter(({ code }) => code === "DNS");
      const families = [...podFamiliesIn(facts)];
      const inAny = (of: (family: IpFamily) => readonly Asked[]) => families.flatMap(of);
      for (const protocol of ["udp", "tcp"] as const) {
        const servers = inAny((family) => [
          ...podsIn(facts).flatMap((one) => (isServing(one) ? askedOf(one, family) : [])),
          ...workloads.flatMap((one) => (isServing(one.template) ? [placed(one, family)] : [])),
        ]);
        const found = losses.find((loss) => loss.protocol === protocol);
        const isLost = (ends: readonly Asked[]): boolean => {
          const pairs = ends.flatMap((from) =>
            servers.filter((to) => isMet(from, to)).map((to) => [from, to] as const),
          );
          const verdicts = both((age) =>
            pairs.map((pair) => verdictOf(worlds, age, pair, { protocol, port: 53, sourcePort: 40_000 })),
          );
          return verdicts.old.includes("allow") && verdicts.new.every((one) => one === "deny");
        };
        for (const one of podsIn(facts)) {
          const expected = isLost(inAny((family) => askedOf(one, family)));
          const key = podKey(one.namespace, one.name);
          expect([protocol, key, found?.pods.has(key) ?? false]).toEqual([protocol, key, expected]);
          seen[expected ? "lost" : "kept"]++;
        }
        for (const one of workloads) {
          const expected = isLost(inAny((family) => [placed(one, family)]));
          const name = refText(refOfWorkload(one));
          expect([protocol, name, found?.workloads.has(name) ?? false]).toEqual([protocol, name, expected]);
          seen[expected ? "ofWorkloads" : "kept"]++;
        }
      }
    }),
    { numRuns: 80 },
  );
  expect(seen.lost).toBeGreaterThan(2);
  expect(seen.ofWorkloads).toBeGreaterThan(2);
  expect(seen.kept).toBeGreaterThan(100);
});

const dnsPorts = [
  { name: "dns", protocol: "udp", port: 53 },
  { name: "dns-tcp", protocol: "tcp", port: 53 },
] as const;

function isServing({ ports }: PodFact): boolean {
  return ports.some(({ name }) => name === "dns");
}

function askedOf({ namespace: home, name, ips }: PodFact, family: IpFamily): readonly Asked[] {
  return ips.some((ip) => familyOf(ip) === family) ? [{ key: podKey(home, name), family }] : [];
}

function placed(one: Workload, family: IpFamily): Asked {
  return { workload: workloadKey(one), family };
}

/** Of one family, and not the same. */
function isMet(from: Asked, to: Asked): boolean {
  if ("ip" in from || "ip" in to) throw new Error("no addresses are asked about");
  const names = [from, to].map((one) => ("key" in one ? one.key : one.workload));
  return from.family === to.family && names[0] !== names[1];
}

test("probes of workloads are lost where they are lost on every node", () => {
  const facts = new FactStore();
  const nodes = ["n1", "n2"].map((name, at) => node(name, {}, [`172.18.0.${at + 2}`], ["v4"]));
  for (const fact of [namespace("shop"), ...nodes]) facts.put(fact);
  const workloads = [workload("shop", "web", { ports: [namedPort("http", 8080)] })];
  const own = nodes.map((one) => ownNodePolicy(one, "namespaced"));
  const lost = (old: readonly Policy[], next: readonly Policy[]) => {
    const worldOf = (policies: readonly Policy[]) => ({ facts, workloads, policies: [...own, ...policies] });
    const losses = lossesOf(comparisonsOf({ old: worldOf(old), new: worldOf(next) }), usualNeeds, facts);
    return losses.map(({ code, workloads: names }) => [code, ...names]);
  };
  const probes = [["Probes", "Deployment shop/web"]];
  const deny = { action: "deny" as const, peers: [{ kind: "everything" as const }] };
  const byAdmin = irPolicy("admin", { ingress: [deny] });
  const isolated = irPolicy("np", { tier: tiers.namespaced, unmatched: { ingress: "deny", egress: "next" } });
  expect(lost([], [byAdmin])).toEqual(probes);
  expect(lost([], [isolated])).toEqual([]);
  // Before, no node but its own reached them.
  expect(lost([isolated], [isolated, byAdmin])).toEqual(probes);
  const first = { kind: "network" as const, cidr: network("172.18.0.2/32"), except: [] };
  expect(lost([], [irPolicy("one", { ingress: [{ ...deny, peers: [first] }] })])).toEqual([]);
});

test("where policies of one priority disagree nothing is said to be lost", () => {
  const facts = new FactStore();
  const ends = ["10.0.0.1", "10.0.0.2"].map((ip, at) => pod("shop", `p${at}`, { ips: [ip] }));
  for (const fact of [namespace("shop"), ...ends]) facts.put(fact);
  const outside = parseIp("198.51.100.7");
  const needs: Needs = { ...usualNeeds, dns: outside === null ? [] : [{ ip: outside, port: 53 }] };
  const says = (action: "allow" | "deny") =>
    irPolicy(action, { egress: [{ action, peers: [{ kind: "everything" }] }] });
  const lost = (...policies: readonly Policy[]) =>
    lossesOf(comparisonsOf({ old: { facts, policies: [] }, new: { facts, policies } }), needs, facts);
  expect(lost(says("deny")).map(({ pods }) => pods.size)).toEqual([2, 2]);
  expect(lost(says("deny"), says("allow"))).toEqual([]);
});
