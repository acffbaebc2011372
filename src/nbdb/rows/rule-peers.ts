// Splits a rule's peers into groups, whose members the membership knows, and networks, which the rule lists.

import { unreachable } from "../../lib/invariant.ts";
import type { Cidr, IpFamily } from "../../model/ip.ts";
import { subtract } from "../../model/cidr.ts";
import { everyAddress, familyOf } from "../../model/ip.ts";
import type { GroupKey, Peer, SubjectGroup } from "../../policy/ir.ts";
import { groupKey, isGroup } from "../../policy/ir.ts";

/** Networks of the family that the peer lists itself. */
export function networksOf(peer: Peer, family: IpFamily): readonly Cidr[] {
  switch (peer.kind) {
    case "pods":
    case "nodes":
      return [];
    case "everything":
      return [everyAddress(family)];
    case "sameNamespaces":
      throw new Error("invariant broken: a peer that depends on the subject's namespace was not made plain");
    case "network":
      return familyOf(peer.cidr) === family ? subtract(peer.cidr, peer.except) : [];
    default:
      return unreachable(peer);
  }
}

/** Each once. */
export function groupKeys(selected: readonly (Peer | SubjectGroup)[]): readonly GroupKey[] {
  const distinct = new Set<GroupKey>();
  for (const one of selected) if (one.kind === "podsOfNode" || isGroup(one)) distinct.add(groupKey(one));
  return [...distinct];
}
