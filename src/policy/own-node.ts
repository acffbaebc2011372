// A node's way to its own pods, and a pod's way to itself through a Service, expressed as a policy. In the namespaced tier, what
// administrators deny before it stays denied, and no isolation by a NetworkPolicy takes it away; before every other policy,
// nothing takes it away. Nobody writes such an object: there is one for each node while there is a policy of a kind that asks
// for it (PolicyKindTraits.nodesReachOwnPods). Pure.

import { aloneIn } from "../model/cidr.ts";
import type { NodeFact } from "../model/facts.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { parseIp } from "../model/ip.ts";
import type { ObjectKey } from "../model/object.ts";
import { kindText, kindTextOf } from "../model/object.ts";
import type { Peer, Policy, PolicyKey, Rule } from "./ir.ts";
import { policyKey, tiers } from "./ir.ts";

/**
 * The place of the way: `namespaced`, beside the policies of that tier, which isolate; `first`, before every other policy,
 * where a kind's rules precede administrators' rules and its API promises the way all the same; `beforeTiers` the same, where
 * tiers may have any order. Kinds that are installed together ask for one of the last two.
 */
export type OwnNodeWay = "namespaced" | "first" | "beforeTiers";

/** Kinds of no API, and the owner types of the rows. Two of them, because different kinds of policy ask for them. */
const kinds = {
  namespaced: { group: "", kind: "NorthgateNode" },
  first: { group: "", kind: "NorthgateNodeFirst" },
  beforeTiers: { group: "", kind: "NorthgateNodeFirst" },
} as const;
export const ownNodeTypes = {
  namespaced: kinds.namespaced.kind,
  first: kinds.first.kind,
  beforeTiers: kinds.beforeTiers.kind,
} as const;

/** No policy of any API has a lower one. */
export const firstPriority = -3_000_000;

const places = {
  namespaced: { tier: tiers.namespaced, priority: 0 },
  first: { tier: tiers.admin, priority: firstPriority },
  beforeTiers: { tier: { name: "own nodes", order: -Infinity }, priority: 0 },
} as const;

/**
 * The sources that OVN's load balancer gives to what a pod sends to itself through a Service: OVN-Kubernetes' setting of
 * `hairpin_snat_ip` (docs/rows.md). No other end has the link-local address.
 */
const hairpinSources = ["169.254.169.5", "fd69::5"].flatMap((text) => parseIp(text) ?? []);

/** The networks of these alone. */
export const ownWayNetworks: readonly Cidr[] = hairpinSources.map(aloneIn);

export function ownNodeKey(node: string, way: OwnNodeWay): PolicyKey {
  return policyKey({ ...kinds[way], namespace: null, name: node });
}

export function isOwnNode(key: ObjectKey): boolean {
  const text = kindTextOf(key);
  return text === kindText(kinds.namespaced) || text === kindText(kinds.first);
}

/** Whether the policy is one by which a node reaches its own pods whatever all others say. */
export function isFirstOwnNode(key: ObjectKey): boolean {
  return kindTextOf(key) === kindText(kinds.first);
}

/**
 * For the pods on the node; without an address of the node, for their way to themselves alone. Before every other policy that
 * way does not exist: it is the namespaced tier's promise.
 */
export function ownNodePolicy({ name, ips, managementIps = [] }: NodeFact, way: OwnNodeWay): Policy {
  const ref = { ...kinds[way], namespace: null, name };
  const own = allow(0, "own node", [...ips, ...managementIps]);
  return {
    ...{ key: policyKey(ref), ref, ownerType: ownNodeTypes[way], shortKind: "NODE" },
    ...places[way],
    logging: { allow: null, deny: null, pass: null, reject: null },
    subject: [{ kind: "podsOfNode", node: name }],
    rules: {
      ingress: way === "namespaced" ? [own, allow(1, "hairpin", hairpinSources)] : [own],
      egress: [],
    },
    unmatched: { ingress: "next", egress: "next" },
  };
}

/** Sorted: the order of a node's addresses means nothing. */
function allow(index: number, name: string, sources: readonly IpAddress[]): Rule {
  const networks = [...new Set(sources.map(aloneIn))].sort();
  const peers = networks.map((cidr): Peer => ({ kind: "network", cidr, except: [] }));
  return { index, name, action: "allow", share: null, subject: null, peers, ports: null, logging: null };
}
