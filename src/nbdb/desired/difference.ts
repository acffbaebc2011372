// Compares two renderings of one unit: only what differs between them has to be compared with the database again. An
// object that both share was not rendered again and does not differ. What was pending before stays pending.

import { isReused } from "../../lib/identity.ts";
import type { UnitPending } from "../pending.ts";
import type { DesiredAddressSet, DesiredPortGroup, UnitPart } from "../rows/unit.ts";
import type { Differing } from "../../lib/sequence.ts";
import { sameSequence } from "../../lib/sequence.ts";
import type { NamedPortsChange, Rendering } from "./rendering.ts";

/** If more groups are added or removed, the unit is compared whole: that finds them as well, and their rows are written ahead. */
const mostMoving = 20;

export function markDifference(
  { isFullRebuild, changes, portGroups, namedPorts }: Rendering,
  pending: UnitPending,
): void {
  if (isFullRebuild) {
    pending.markWhole();
    return;
  }
  const moving = markPortGroups(portGroups, pending);
  for (const { before: was, after: is } of changes) {
    if (was !== null && is !== null) markPart(was, is, namedPorts, pending);
    else markMoving(was, is, moving, pending);
  }
  for (const id of namedPorts.acls) pending.markAcl(id);
  for (const name of namedPorts.sets) pending.markAddresses(name, "all");
}

/** Returns the names of the groups that are added or removed: their rows are, and their ACLs with them. */
function markPortGroups(
  { removed, added }: Differing<DesiredPortGroup>,
  pending: UnitPending,
): ReadonlySet<string> {
  const moving = new Set<string>();
  const old = new Map(removed.map((group) => [group.name, group]));
  for (const { name, subjects } of added) {
    const was = old.get(name);
    old.delete(name);
    if (was === undefined) moving.add(name);
    else if (!sameSequence(was.subjects, subjects)) pending.markPorts(name, "all");
  }
  for (const name of old.keys()) moving.add(name);
  if (moving.size > mostMoving) pending.markWhole();
  else for (const name of moving) pending.markPortGroup(name);
  return moving;
}

/** A part that is added or removed, null on the other side; `moving`: the groups that are. */
function markMoving(
  was: UnitPart | null,
  is: UnitPart | null,
  moving: ReadonlySet<string>,
  pending: UnitPending,
): void {
  const group = (was ?? is)?.portGroup ?? null;
  // Rows of a group that stays may have to be deleted: only a comparison of the whole unit finds those.
  if (group === null || !moving.has(group)) {
    pending.markWhole();
    return;
  }
  markSets(was?.addressSets ?? [], is?.addressSets ?? [], pending);
  if (is !== null && is.namedPorts !== null) pending.markNamedPorts(is.namedPorts, "all");
}

function markPart(
  before: UnitPart,
  after: UnitPart,
  { carried }: NamedPortsChange,
  pending: UnitPending,
): void {
  if (!isReused(before.portGroup, after.portGroup)) pending.markWhole();
  if (!isReused(before.addressSets, after.addressSets))
    markSets(before.addressSets, after.addressSets, pending);
  // An ACL that is not desired any more is pending as well: the planner then deletes it.
  if (!isReused(before.acls, after.acls))
    for (const { id } of [...before.acls, ...after.acls]) pending.markAcl(id);
  const { namedPorts: named } = after;
  if (named === null || isReused(before.namedPorts, named)) return;
  const earlier = carried.get(named);
  // What was still to be resolved for the earlier rule is to be resolved for this one.
  if (earlier === undefined || pending.namedPorts.has(earlier)) pending.markNamedPorts(named, "all");
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
    if (was === undefined || !sameContents(was, set)) pending.markAddresses(set.name, "all");
  }
  for (const name of old.keys()) pending.markAddresses(name, "all");
}

function sameContents(a: DesiredAddressSet, b: DesiredAddressSet): boolean {
  return (
    a.groups.length === b.groups.length &&
    a.groups.every((group) => b.groups.includes(group)) &&
    a.networks.size === b.networks.size &&
    [...a.networks].every((network) => b.networks.has(network))
  );
}
