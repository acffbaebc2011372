// Packets between pods that policies are about: a few of them, to ask of a node how it treats such packets.

import type { PodFact } from "../../model/facts.ts";
import type { IpAddress } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import type { Membership } from "../../policy/contracts/membership.ts";
import type { GroupKey } from "../../policy/ir.ts";

/** From a pod of this node to another pod, of this node or another one. */
export interface PodPacket {
  readonly source: IpAddress;
  readonly destination: IpAddress;
}

/** Of each group so many members are looked at. */
const looked = 64;
/** So many pods of this node, and so many of others. */
const taken = 8;

/** `zone`: the node; null: every pod is on it. The groups must be retained. */
export function podPackets(
  membership: Membership,
  zone: string | null,
  groups: Iterable<GroupKey>,
): readonly PodPacket[] {
  const [local, others] = [new Set<PodFact>(), new Set<PodFact>()];
  for (const group of groups) {
    if (local.size === taken && others.size === taken) break;
    for (const key of Iterator.from(membership.pods(group).keys()).take(looked)) {
      const pod = membership.pod(key);
      const side = zone === null || pod.node === zone ? local : others;
      if (side.size < taken) side.add(pod);
    }
  }
  return [...local].flatMap((from) =>
    [...others, ...local].filter((to) => to !== from).flatMap((to) => between(from, to)),
  );
}

function between(from: PodFact, to: PodFact): readonly PodPacket[] {
  return from.ips.flatMap((source) =>
    to.ips
      .filter((destination) => familyOf(destination) === familyOf(source))
      .map((destination) => ({ source, destination })),
  );
}
