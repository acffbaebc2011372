// What a rule's peers are to its rows: groups, whose members the membership knows, and networks, which the rule names.

import { invariant, unreachable } from "../../lib/invariant.ts";
import type { Cidr, IpFamily } from "../../model/ip.ts";
import { everyAddress } from "../../model/ip.ts";
import type { GroupKey, Peer } from "../../policy/ir.ts";
import { groupKey, isGroup } from "../../policy/ir.ts";

export function networksOf(peer: Peer, family: IpFamily): readonly Cidr[] {
  switch (peer.kind) {
    case "pods":
    case "nodes":
      return [];
    case "everything":
      return [everyAddress(family)];
    case "sameNamespaces":
      throw new Error("this backend has no rows for a peer that depends on the subject's namespace yet");
    case "network":
      invariant(peer.except.length === 0, "this backend has no rows for a network with exceptions yet");
      return [peer.cidr];
    default:
      return unreachable(peer);
  }
}

/** Each once. */
export function groupKeys(peers: readonly Peer[]): readonly GroupKey[] {
  const distinct = new Set<GroupKey>();
  for (const peer of peers) if (isGroup(peer)) distinct.add(groupKey(peer));
  return [...distinct];
}
