// Peers by the pods that they are about, whatever their addresses.

import type {
  Direction,
  EndPorts,
  HostNameGroup,
  NarrowedPods,
  OtherAddresses,
  Peer,
  PeerGroup,
  PortMatch,
  Rule,
} from "./ir.ts";
import { everyPod } from "./ir.ts";

/** The peer by any of its addresses: a narrowed one is its group. */
export function byAnyAddress(peer: Peer): Exclude<Peer, NarrowedPods> {
  return peer.kind === "narrowed" ? peer.pods : peer;
}

/** The peers on which it depends which pods the peer is, by any of their addresses: itself, or those that it is not. */
export function peersAsked(peer: Peer): readonly Exclude<Peer, NarrowedPods | OtherAddresses>[] {
  const whole = byAnyAddress(peer);
  return whole.kind === "others" ? whole.pods : [whole];
}

/** An address that DNS answered may be a pod's or not, as that of a network. */
function declaresPorts(peer: Peer): peer is Exclude<PeerGroup, HostNameGroup> {
  return peer.kind === "pods" || peer.kind === "nodes";
}

/**
 * Whether the rule names ports of peers that it says by their addresses: the names are looked up on every pod, and the
 * addresses still restrict the rule.
 */
export function leadsAnywhere({ peers, ports }: Rule, direction: Direction): boolean {
  if (ports?.some((port) => namesPeersPorts(port, direction)) !== true) return false;
  return peers.some((peer) => !declaresPorts(byAnyAddress(peer)));
}

/** The groups of peers on whose pods a rule's names of ports are looked up. */
export function namedPeersOf(rule: Rule, direction: Direction): readonly PeerGroup[] {
  return leadsAnywhere(rule, direction) ? everyPod : rule.peers.map(byAnyAddress).filter(declaresPorts);
}

function namesPeersPorts(port: PortMatch, direction: Direction): boolean {
  if (port.kind === "declared") return namesIn(direction === "egress" ? port.to : port.from).length > 0;
  return port.kind === "named" && direction === "egress";
}

/** Each name that is looked up, and those that take away. */
export function namesIn(ports: EndPorts | null): readonly string[] {
  return ports === null ? [] : [...ports.names, ...ports.except.names];
}
