// Whether two facts, or two states, of one object are equal, so that an update without changes costs nothing. Labels have no order;
// addresses, ports and families have one. Shared values (kube/read/sharing.ts) are recognized by identity. Invariant:
// every property of a fact counts, except the name, which both have in common.

import { sameSequence } from "../lib/sequence.ts";
import type { Labels } from "./labels.ts";
import { sameJson } from "./objects/json.ts";
import type { HostNameFact, NamedPort, NamespaceFact, NodeFact, Owner, PodFact } from "./facts.ts";
import type { ReferencedObject } from "./object.ts";

export function sameLabels(a: Labels, b: Labels): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  // A value is never undefined, so a missing key differs too.
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}

export function samePorts(a: readonly NamedPort[], b: readonly NamedPort[]): boolean {
  return a === b || (a.length === b.length && a.every((port, index) => samePort(port, b[index])));
}

function samePort(a: NamedPort, b: NamedPort | undefined): boolean {
  return a.name === b?.name && a.protocol === b.protocol && a.port === b.port;
}

/** Facts of one pod. */
export function samePod(a: PodFact, b: PodFact): boolean {
  if (a === b) return true;
  return (
    a.node === b.node &&
    a.serviceAccount === b.serviceAccount &&
    a.hostNetwork === b.hostNetwork &&
    a.completed === b.completed &&
    a.mountsToken === b.mountsToken &&
    a.isTemplate === b.isTemplate &&
    sameOwner(a.owner, b.owner) &&
    sameLabels(a.labels, b.labels) &&
    sameSequence(a.ips, b.ips) &&
    samePorts(a.ports, b.ports)
  );
}

function sameOwner(a: Owner | undefined, b: Owner | undefined): boolean {
  return a === b || (a?.name === b?.name && a?.kind === b?.kind && a?.group === b?.group);
}

/** Facts of one namespace. */
export function sameNamespace(a: NamespaceFact, b: NamespaceFact): boolean {
  return a.logging === b.logging && a.isUnread === b.isUnread && sameLabels(a.labels, b.labels);
}

/** Facts of one node. */
export function sameNode(a: NodeFact, b: NodeFact): boolean {
  if (a === b) return true;
  return (
    sameLabels(a.labels, b.labels) &&
    sameSequence(a.ips, b.ips) &&
    sameSequence(a.managementIps ?? [], b.managementIps ?? []) &&
    sameSequence(a.podFamilies, b.podFamilies) &&
    sameSequence(a.podNetworks ?? [], b.podNetworks ?? [])
  );
}

/** Answers for one host name. */
export function sameHostName(a: HostNameFact, b: HostNameFact): boolean {
  return a === b || sameSequence(a.ips, b.ips);
}

/** Whether two states of one object say the same to policies: they are told of no others of its fields. */
export function sameReferenced(a: ReferencedObject, b: ReferencedObject): boolean {
  return (
    sameLabels(a.labels, b.labels) &&
    sameSequence(a.balancerIps ?? [], b.balancerIps ?? []) &&
    sameJson(a.spec, b.spec)
  );
}
