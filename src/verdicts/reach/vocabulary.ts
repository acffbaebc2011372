// Everything by which policies can distinguish ends: groups of pods, networks, groups of nodes, keys that namespaces share,
// and names of container ports; each once, whatever the number of rules that use it. Built from the text of the policies.

import type { IpAddress } from "../../model/ip.ts";
import type { NodeFact } from "../../model/facts.ts";
import type { Selector } from "../../model/selector.ts";
import { everything, selects } from "../../model/selector.ts";
import type { GroupKey, Peer, Policy, Rule, SubjectGroup } from "../../policy/ir.ts";
import { directions, groupKey } from "../../policy/ir.ts";
import type { Order } from "./order.ts";

export type NetworkPeer = Extract<Peer, { kind: "network" }>;

export interface Vocabulary {
  readonly groups: ReadonlyMap<GroupKey, SubjectGroup>;
  readonly networks: ReadonlyMap<string, NetworkPeer>;
  /** By selector text, the addresses of the nodes that it selects. */
  readonly nodes: ReadonlyMap<string, ReadonlySet<IpAddress>>;
  /** Lists of keys by which peers share something with their subject. */
  readonly shared: ReadonlyMap<string, readonly string[]>;
  readonly portNames: ReadonlySet<string>;
}

export function vocabularyOf({ policies, entries }: Order, nodes: Iterable<NodeFact>): Vocabulary {
  const groups = new Map<GroupKey, SubjectGroup>();
  const networks = new Map<string, NetworkPeer>();
  const selectors = new Map<string, Selector>();
  const shared = new Map<string, readonly string[]>();
  const portNames = new Set<string>();
  const see = (list: readonly SubjectGroup[]): void => {
    for (const group of list) groups.set(groupKey(group), group);
  };
  const seePeer = (peer: Peer): void => {
    if (peer.kind === "pods") see([peer]);
    else if (peer.kind === "network") networks.set(networkKey(peer), peer);
    else if (peer.kind === "nodes") selectors.set(peer.nodes.text, peer.nodes);
    else if (peer.kind === "sameNamespaces") {
      shared.set(sharedKey(peer.keys), peer.keys);
      see([podsAnywhere(peer.pods)]);
    }
  };
  const seeRule = ({ subject, peers, ports }: Rule): void => {
    see(subject ?? []);
    peers.forEach(seePeer);
    for (const port of ports ?? []) if (port.kind === "named") portNames.add(port.name);
  };
  for (const { subject } of policies) see(subject);
  for (const direction of directions) for (const { rule } of entries[direction]) seeRule(rule);
  const known = [...nodes];
  const addresses = (selector: Selector): ReadonlySet<IpAddress> =>
    new Set(known.filter(({ labels }) => selects(selector, labels)).flatMap(({ ips }) => ips));
  return {
    ...{ groups, networks, shared, portNames },
    nodes: new Map(Array.from(selectors, ([text, selector]) => [text, addresses(selector)])),
  };
}

export function networkKey({ cidr, except }: NetworkPeer): string {
  return [cidr, ...except].join(" ");
}

export function sharedKey(keys: readonly string[]): string {
  return JSON.stringify([...new Set(keys)].sort());
}

/** Pods of any namespace that the selector selects: what a peer of shared namespaces asks of a pod itself. */
export function podsAnywhere(pods: Selector): SubjectGroup {
  return { kind: "pods", namespaces: everything, pods };
}

export function subjectOf(policy: Policy, rule: Rule): readonly SubjectGroup[] {
  return rule.subject ?? policy.subject;
}
