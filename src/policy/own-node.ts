// A node's way to its own pods, and a pod's way to itself through a Service, said as a policy of the namespaced tier: what
// administrators deny before it stays denied, and no isolation by a NetworkPolicy takes it away. Nobody writes such an object:
// there is one for each node while a policy isolates pods (PolicyKindTraits.nodesReachOwnPods). Pure.

import { aloneIn } from "../model/cidr.ts";
import type { NodeFact } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { parseIp } from "../model/ip.ts";
import type { ObjectKey } from "../model/object.ts";
import { kindText, kindTextOf } from "../model/object.ts";
import type { Peer, Policy, PolicyKey, Rule } from "./ir.ts";
import { policyKey, tiers } from "./ir.ts";

/** Also the owner type of the rows. The API has no such kind. */
const kind = { group: "", kind: "NorthgateNode" } as const;
export const ownNodeType = kind.kind;

/**
 * The sources that OVN's load balancer gives to what a pod sends to itself through a Service: OVN-Kubernetes' setting of
 * `hairpin_snat_ip` (docs/rows.md). The link-local address is nobody else's.
 */
const hairpinSources = ["169.254.169.5", "fd69::5"].flatMap((text) => parseIp(text) ?? []);

export function ownNodeKey(node: string): PolicyKey {
  return policyKey({ ...kind, namespace: null, name: node });
}

export function isOwnNode(key: ObjectKey): boolean {
  return kindTextOf(key) === kindText(kind);
}

/** For the pods on the node; without an address of the node, for their way to themselves alone. */
export function ownNodePolicy({ name, ips, managementIps = [] }: NodeFact): Policy {
  const ref = { ...kind, namespace: null, name };
  return {
    ...{ key: policyKey(ref), ref, ownerType: ownNodeType, shortKind: "NODE" },
    ...{ tier: tiers.namespaced, priority: 0 },
    logging: { allow: null, deny: null, pass: null, reject: null },
    subject: [{ kind: "podsOfNode", node: name }],
    rules: {
      ingress: [allow(0, "own node", [...ips, ...managementIps]), allow(1, "hairpin", hairpinSources)],
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
