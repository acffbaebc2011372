// Compares two renderings of one unit: only what differs between them has to be compared with the database again. An
// object that both share was not rendered again and does not differ. What was pending before stays pending.

import type { UnitPending } from "../pending.ts";
import type { DesiredAddressSet, DesiredPortGroup, UnitPart } from "../rows/unit.ts";
import { sameSequence } from "../../lib/sequence.ts";
import type { NamedPortsChange, Rendering } from "./rendering.ts";

export function markDifference(
  { before, after, changes, namedPorts }: Rendering,
  pending: UnitPending,
): void {
  if (before?.families !== after.families) {
    pending.whole = true;
    return;
  }
  markPortGroups(before.portGroups, after.portGroups, pending);
  for (const change of changes) {
    // Rows may have to be deleted: only a comparison of the whole unit finds those.
    if (change.before === null || change.after === null) pending.whole = true;
    else markPart(change.before, change.after, namedPorts, pending);
  }
  for (const id of namedPorts.acls) pending.acls.add(id);
  for (const name of namedPorts.sets) pending.addressSets.mark(name, "all");
}

function markPortGroups(
  before: readonly DesiredPortGroup[],
  after: readonly DesiredPortGroup[],
  pending: UnitPending,
): void {
  if (sameSequence(before, after)) return;
  const old = new Map(before.map((group) => [group.name, group]));
  // When a port group is added or removed, its row and its ACLs are too.
  if (old.size !== after.length || after.some(({ name }) => !old.has(name))) pending.whole = true;
  for (const { name, subjects } of after) {
    if (!sameSequence(old.get(name)?.subjects ?? [], subjects)) pending.ports.mark(name, "all");
  }
}

function markPart(
  before: UnitPart,
  after: UnitPart,
  { carried }: NamedPortsChange,
  pending: UnitPending,
): void {
  if (before.portGroup !== after.portGroup) pending.whole = true;
  if (before.addressSets !== after.addressSets) markSets(before.addressSets, after.addressSets, pending);
  // An ACL that is not desired any more is pending as well: the planner then deletes it.
  if (before.acls !== after.acls) for (const { id } of [...before.acls, ...after.acls]) pending.acls.add(id);
  const { namedPorts: named } = after;
  if (named === null || named === before.namedPorts) return;
  const earlier = carried.get(named);
  // What was still to be resolved for the earlier rule is to be resolved for this one.
  if (earlier === undefined || pending.namedPorts.has(earlier)) pending.namedPorts.mark(named, "all");
}

/** A set that is not desired any more is pending as well: the planner then deletes it. */
function markSets(
  before: readonly DesiredAddressSet[],
  after: readonly DesiredAddressSet[],
  pending: UnitPending,
): void {
  const old = new Map(before.map((set) => [set.name, set]));
  for (const set of after) {
    const was = old.get(set.name);
    old.delete(set.name);
    if (was === undefined || !sameContents(was, set)) pending.addressSets.mark(set.name, "all");
  }
  for (const name of old.keys()) pending.addressSets.mark(name, "all");
}

function sameContents(a: DesiredAddressSet, b: DesiredAddressSet): boolean {
  return (
    a.groups.length === b.groups.length &&
    a.groups.every((group) => b.groups.includes(group)) &&
    a.networks.size === b.networks.size &&
    [...a.networks].every((network) => b.networks.has(network))
  );
}
