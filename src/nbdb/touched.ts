// Turns edges of groups into pending places: the elements of the sets, port groups and named ports that depend on the
// groups. Cost follows the edges and what depends on them.

import type { IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { Edges, GroupEdges } from "../policy/contracts/membership.ts";
import type { GroupKey } from "../policy/ir.ts";
import type { Content } from "./desired/content.ts";
import type { Desired } from "./desired/desired.ts";
import type { Pending } from "./pending.ts";
import { portOfPod } from "./rows/names.ts";
import type { UnconnectedPods } from "./unconnected-pods.ts";

export interface TouchedParts {
  readonly desired: Desired;
  readonly content: Content;
  readonly pending: Pending;
  readonly unconnected: UnconnectedPods;
}

export function markTouched(edges: Edges, parts: TouchedParts): void {
  let last: ReadonlySet<IpAddress> | null = null;
  let ofFamily: ReadonlyMap<IpFamily, readonly IpAddress[]> = new Map();
  for (const [group, touched] of edges) {
    // The groups that one pod enters or leaves have one set.
    if (touched.addresses !== last) {
      last = touched.addresses;
      ofFamily = Map.groupBy(last, familyOf);
    }
    markAddresses(group, ofFamily, parts);
    markPods(group, touched, parts);
    markNamedPorts(group, touched, parts);
  }
}

function markAddresses(
  group: GroupKey,
  ofFamily: ReadonlyMap<IpFamily, readonly IpAddress[]>,
  { desired, content, pending }: TouchedParts,
): void {
  if (ofFamily.size === 0) return;
  for (const set of desired.addressSetsOf(group)) {
    const touched = ofFamily.get(set.family);
    if (touched === undefined) continue;
    const place = pending.of(set.unit);
    if (set.isComplement !== true) place.markAddresses(set.name, touched);
    else {
      const elements = content.complements.touch(set, touched);
      place.markAddresses(set.name, touched.length > mostApart ? "all" : elements);
    }
  }
}

/** Of more addresses of a complement the whole set is compared: each may be as many elements as it has bits, or twice as many. */
const mostApart = 100;

function markPods(
  group: GroupKey,
  { pods }: GroupEdges,
  { desired, pending, unconnected }: TouchedParts,
): void {
  if (pods.size === 0) return;
  let isSubject = false;
  for (const { unit, name } of desired.portGroupsOf(group)) {
    pending.of(unit).markPorts(name, pods.values().map(portOfPod));
    isSubject = true;
  }
  if (isSubject) for (const pod of pods) unconnected.look(pod);
}

function markNamedPorts(
  group: GroupKey,
  { namedPorts }: GroupEdges,
  { desired, content, pending }: TouchedParts,
): void {
  for (const [name, at] of namedPorts) content.namedPorts.lists.touch(group, name, at);
  for (const named of namedPorts.size === 0 ? [] : desired.namedPortsOf(group)) {
    const touched = named.portNames.filter((name) => namedPorts.has(name));
    for (const name of touched) pending.of(named.unit).markNamedPorts(named, namedPorts.get(name) ?? []);
  }
}
