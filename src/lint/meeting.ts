// Whether one connection, of any world, could be matched by two rules: false only where it is certain that none could.

import type { Peer, PortMatch, SubjectGroup } from "../policy/ir.ts";
import { protocolNumbers } from "../model/protocols.ts";
import { areApart, canMeet } from "./implication.ts";

export function canMeetSubjects(one: readonly SubjectGroup[], other: readonly SubjectGroup[]): boolean {
  return one.some((a) => other.some((b) => canMeetGroups(a, b)));
}

function canMeetGroups(a: SubjectGroup, b: SubjectGroup): boolean {
  if (a.kind === "podsOfNode" || b.kind === "podsOfNode")
    return a.kind !== "podsOfNode" || b.kind !== "podsOfNode" || a.node === b.node;
  return canMeet(a.namespaces, b.namespaces) && canMeet(a.pods, b.pods);
}

export function canMeetPeers(one: readonly Peer[], other: readonly Peer[]): boolean {
  return one.some((a) => other.some((b) => canBeOneEnd(a, b)));
}

/** A pod's address may lie in any network. A node is no pod. */
function canBeOneEnd(a: Peer, b: Peer): boolean {
  if (a.kind === "pods" && b.kind === "pods") return canMeetGroups(a, b);
  if (a.kind === "nodes" && b.kind === "nodes") return canMeet(a.nodes, b.nodes);
  if (a.kind === "network" && b.kind === "network") return !areApart(a.cidr, b.cidr);
  const kinds = new Set([a.kind, b.kind]);
  return !(kinds.has("nodes") && (kinds.has("pods") || kinds.has("sameNamespaces")));
}

export function canMeetPorts(one: readonly PortMatch[] | null, other: readonly PortMatch[] | null): boolean {
  if (one === null || other === null) return true;
  return one.some((a) => other.some((b) => canBeOnePort(a, b)));
}

function canBeOnePort(a: PortMatch, b: PortMatch): boolean {
  const [protocol, second] = [protocolOf(a), protocolOf(b)];
  if (protocol !== null && second !== null && protocol !== second) return false;
  const [first, range] = [rangeOf(a), rangeOf(b)];
  return first === null || range === null || (first.start <= range.end && range.start <= first.end);
}

/** null: more than one. */
function protocolOf(port: PortMatch): number | null {
  if (port.kind === "protocol") return port.number;
  return port.kind === "icmp" || port.protocol === undefined ? null : protocolNumbers[port.protocol];
}

function rangeOf(port: PortMatch): { readonly start: number; readonly end: number } | null {
  if (port.kind === "range") return port;
  return port.kind === "port" ? { start: port.port, end: port.port } : null;
}
