// Whether a rule closes its policy: it is one of the last of its direction, and from it on every rule denies everything. Such
// rules are there for objects that are added later, so that none is called superfluous for what exists today, and no user is
// advised to delete one. A deny of some ports, or of networks with exceptions, closes nothing.

import { everything } from "../model/selector.ts";
import type { Peer, Rule } from "../policy/ir.ts";
import { peerImplies } from "./implication/implication.ts";
import type { OrderedRule } from "../verdicts/entries.ts";
import { effectOfRule } from "../verdicts/row.ts";

const everyPod: Peer = { kind: "pods", namespaces: everything, pods: everything };

export function isClosing({ policy, direction, rule }: OrderedRule): boolean {
  return policy.rules[direction].filter(({ index }) => index >= rule.index).every(deniesEverything);
}

function deniesEverything(rule: Rule): boolean {
  const isOfAll = rule.ports === null && rule.own === undefined;
  return effectOfRule(rule) === "deny" && isOfAll && rule.peers.some(isEverybody);
}

/** All pods, or all addresses of a family. */
export function isEverybody(peer: Peer): boolean {
  if (peer.kind === "network") return peer.cidr.endsWith("/0") && peer.except.length === 0;
  return peerImplies(everyPod, peer);
}
