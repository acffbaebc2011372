// What a node's own policy says: who may reach which pods, and what does not depend on the order of its addresses.

import { expect, test } from "@jest/globals";
import { ip, node, pod } from "../../test/support/facts.ts";
import type { PodFact } from "../model/facts.ts";
import { judge } from "./evaluate.ts";
import { isFirstOwnNode, ownNodePolicy } from "./own-node.ts";

const first = { ...node("one", {}, ["172.18.0.2", "fd18::2"]), managementIps: [ip("10.244.1.2")] };
const here = pod("shop", "here", { node: "one", ips: ["10.244.1.5", "fd00::5"] });
const nobody = { namespaces: new Map(), nodes: [], hostNames: [] };
/** Every connection to the pod is denied, but for what the node's policy allows. */
const isolating = {
  ...ownNodePolicy(first, "namespaced"),
  unmatched: { ingress: "deny", egress: "next" },
} as const;

test.each<readonly [string, string, PodFact, "own node" | "hairpin" | null]>([
  ["from its own node", "172.18.0.2", here, "own node"],
  ["from its own node, in the other family", "fd18::2", here, "own node"],
  ["from the management port", "10.244.1.2", here, "own node"],
  ["from what a load balancer makes of itself", "169.254.169.5", here, "hairpin"],
  ["from what a load balancer makes of itself, in the other family", "fd69::5", here, "hairpin"],
])("a pod is reached %s", (_, from, to, rule) => {
  const at = { ip: to.ips[from.includes(":") ? 1 : 0] ?? ip(from), pod: to };
  const { ingress } = judge({ from: { ip: ip(from), pod: null }, to: at, protocol: "tcp", port: 1 }, nobody, [
    isolating,
  ]);
  expect([ingress.verdict, ingress.by?.rule?.name]).toEqual(["allow", rule]);
});

test.each<readonly [string, string, PodFact, "allow" | "deny"]>([
  ["from another address", "172.18.0.3", here, "deny"],
  ["on another node, by no rule of this one", "172.18.0.2", { ...here, node: "two" }, "allow"],
  ["on the host network, by no rule", "172.18.0.3", { ...here, hostNetwork: true }, "allow"],
])("a pod %s", (_, from, to, verdict) => {
  const connection = {
    from: { ip: ip(from), pod: null },
    to: { ip: ip("10.244.1.5"), pod: to },
    protocol: "tcp",
    port: 1,
  } as const;
  const { ingress } = judge(connection, nobody, [isolating]);
  expect([ingress.verdict, ingress.by?.rule ?? null]).toEqual([verdict, null]);
});

test("the order of addresses and their repetition mean nothing, and a node without any has no way of its own", () => {
  const turned = {
    ...node("one", {}, ["fd18::2", "10.244.1.2", "172.18.0.2"]),
    managementIps: [ip("10.244.1.2")],
  };
  expect(ownNodePolicy(turned, "namespaced")).toEqual(ownNodePolicy(first, "namespaced"));
  expect(ownNodePolicy(node("one"), "namespaced").rules.ingress[0]?.peers).toEqual([]);
});

test("before every other policy, a node has its own way and a pod none to itself", () => {
  const { tier, priority, rules } = ownNodePolicy(first, "first");
  expect([tier.name, priority < -251 * 10_001]).toEqual(["admin", true]);
  expect(rules.ingress).toEqual(ownNodePolicy(first, "namespaced").rules.ingress.slice(0, 1));
  // The same rows, where tiers may have any order.
  const anywhere = ownNodePolicy(first, "beforeTiers");
  expect(anywhere).toEqual({
    ...ownNodePolicy(first, "first"),
    tier: { name: "own nodes", order: -Infinity },
    priority: 0,
  });
  const keys = [anywhere.key, ownNodePolicy(first, "namespaced").key];
  expect(keys.map(isFirstOwnNode)).toEqual([true, false]);
});
