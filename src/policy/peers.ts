// Peers by the pods that they are about, whatever their addresses.

import type { Direction, NarrowedPods, OtherAddresses, Peer, PeerGroup, Rule } from "./ir.ts";
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

function isGroup(peer: Peer): peer is PeerGroup {
  return peer.kind === "pods" || peer.kind === "nodes";
}

/**
 * Whether the rule names ports of destinations that it says by their addresses: the names are looked up on every pod, and
 * the addresses still restrict the rule.
 */
export function leadsAnywhere({ peers, ports }: Rule, direction: Direction): boolean {
  if (direction === "ingress" || ports?.some(({ kind }) => kind === "named") !== true) return false;
  return peers.some((peer) => !isGroup(byAnyAddress(peer)));
}

/** The groups on whose pods an egress rule's names of ports are looked up. */
export function destinationsOf(rule: Rule): readonly PeerGroup[] {
  return leadsAnywhere(rule, "egress") ? everyPod : rule.peers.map(byAnyAddress).filter(isGroup);
}
