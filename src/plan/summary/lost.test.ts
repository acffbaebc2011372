// What pods lose is what the judge says, on random pairs of worlds: a pod that reached one of the servers for certain and reaches none
// for certain has lost them, and no other has.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { namespace, pod } from "../../../test/support/facts.ts";
import { factsIn, irPolicies, irPolicy, irWorlds } from "../../../test/support/ir.ts";
import type { Destination, Needs } from "../../analysis/needs.ts";
import { dnsServers, podsIn, usualNeeds } from "../../analysis/needs.ts";
import { FactStore } from "../../model/fact-store.ts";
import type { PodFact } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import { familyOf, parseIp } from "../../model/ip.ts";
import type { Policy } from "../../policy/ir.ts";
import { outcomes } from "../../policy/ties.ts";
import { comparisonsOf } from "../../verdicts/comparison.ts";
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
