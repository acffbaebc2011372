// Whether one connection, of any world, could be matched by two rules: false only where it is certain that none could.

import type { Addresses, Peer, PortMatch, SubjectGroup } from "../../policy/ir.ts";
import { byAnyAddress } from "../../policy/peers.ts";
import { icmpNumbers, protocolNumbers } from "../../model/protocols.ts";
import { areApart, canMeet, rangeOf } from "./implication.ts";

export function canMeetSubjects(one: readonly SubjectGroup[], other: readonly SubjectGroup[]): boolean {
  return one.some((a) => other.some((b) => canMeetGroups(a, b)));
}

function canMeetGroups(a: SubjectGroup, b: SubjectGroup): boolean {
  if (a.kind === "podsOfNode" || b.kind === "podsOfNode")
    return a.kind !== "podsOfNode" || b.kind !== "podsOfNode" || a.node === b.node;
  return canMeet(a.namespaces, b.namespaces) && canMeet(a.pods, b.pods);
}

/** Absent: any address. */
export function canMeetOwn(one?: Addresses, other?: Addresses): boolean {
  return one === undefined || other === undefined || canMeetNetworks(one, other);
}

type Networks = Pick<Addresses, "networks">;

function canMeetNetworks(one: Networks, other: Networks): boolean {
  return one.networks.some((a) => other.networks.some((b) => !areApart(a, b)));
}

/** null: they may be any. */
function networksOf(peer: Peer): Networks | null {
  if (peer.kind === "network") return { networks: [peer.cidr] };
  return peer.kind === "narrowed" || peer.kind === "others" ? peer : null;
}

export function canMeetPeers(one: readonly Peer[], other: readonly Peer[]): boolean {
  return one.some((a) => other.some((b) => canBeOneEnd(a, b)));
}

/** A pod's address may lie in any network. A node is no pod. */
function canBeOneEnd(one: Peer, other: Peer): boolean {
  const [first, second] = [networksOf(one), networksOf(other)];
  if (first !== null && second !== null && !canMeetNetworks(first, second)) return false;
  const [a, b] = [byAnyAddress(one), byAnyAddress(other)];
  if (a.kind === "pods" && b.kind === "pods") return canMeetGroups(a, b);
  if (a.kind === "nodes" && b.kind === "nodes") return canMeet(a.nodes, b.nodes);
  const kinds = new Set([a.kind, b.kind]);
  return !(kinds.has("nodes") && (kinds.has("pods") || kinds.has("sameNamespaces")));
}

export function canMeetPorts(one: readonly PortMatch[] | null, other: readonly PortMatch[] | null): boolean {
  if (one === null || other === null) return true;
  return one.some((a) => other.some((b) => canBeOnePort(a, b)));
}

function canBeOnePort(a: PortMatch, b: PortMatch): boolean {
  const [protocols, others] = [protocolsOf(a), protocolsOf(b)];
  if (protocols !== null && others !== null && !protocols.some((one) => others.includes(one))) return false;
  const [first, range] = [rangeOf(a), rangeOf(b)];
  return first === null || range === null || (first.start <= range.end && range.start <= first.end);
}

/** null: not one that is certain. */
function protocolsOf(port: PortMatch): readonly number[] | null {
  switch (port.kind) {
    case "protocol":
      return [port.number];
    case "protocols":
      return port.numbers;
    case "otherIcmp":
      return [icmpNumbers[port.family]];
    case "icmp":
      return null;
    case "port":
    case "range":
    case "named":
    case "declared":
      return port.protocol === undefined ? null : [protocolNumbers[port.protocol]];
  }
}
