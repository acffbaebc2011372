// Two renderings of one policy: only what differs between them is to be compared with the database again. What is the same
// object in both was not rendered again, and does not differ. What is dirty from before stays so.

import type { Rendering } from "./desired.ts";
import type { PolicyDirt } from "./dirt.ts";
import type { NamedPortsChange } from "./policy-state.ts";
import type { DesiredAddressSet, RuleRows } from "./render.ts";

export function markDifference({ before, after, changes, namedPorts }: Rendering, dirt: PolicyDirt): void {
  if (before?.families !== after.families) {
    dirt.whole = true;
    return;
  }
  if (before.portGroup.subject !== after.portGroup.subject) dirt.ports = "all";
  for (const change of changes) {
    // Rows may have to go: only a whole comparison looks for those.
    if (change.before === null || change.after === null) dirt.whole = true;
    else markRule(change.before, change.after, namedPorts, dirt);
  }
  for (const id of namedPorts.acls) dirt.acls.add(id);
  for (const name of namedPorts.sets) dirt.addresses(name, "all");
}

function markRule(before: RuleRows, after: RuleRows, { carried }: NamedPortsChange, dirt: PolicyDirt): void {
  if (before.addressSets !== after.addressSets) markSets(before.addressSets, after.addressSets, dirt);
  // An ACL that is not desired any more is dirt as well: the planner finds that it goes.
  if (before.acls !== after.acls) for (const { id } of [...before.acls, ...after.acls]) dirt.acls.add(id);
  const { namedPorts: named } = after;
  if (named === null || named === before.namedPorts) return;
  const earlier = carried.get(named);
  // What the earlier rule was still to look at is this one's to look at.
  if (earlier === undefined || dirt.namedPorts.has(earlier)) dirt.namedPorts.set(named, "all");
}

/** Both have one for each family, in the same order and of the same name. */
function markSets(
  before: readonly DesiredAddressSet[],
  after: readonly DesiredAddressSet[],
  dirt: PolicyDirt,
): void {
  for (const [at, set] of after.entries()) {
    const old = before[at];
    if (old === undefined || !sameContents(old, set)) dirt.addresses(set.name, "all");
  }
}

function sameContents(a: DesiredAddressSet, b: DesiredAddressSet): boolean {
  return (
    a.groups.length === b.groups.length &&
    a.groups.every((group) => b.groups.includes(group)) &&
    a.networks.size === b.networks.size &&
    [...a.networks].every((network) => b.networks.has(network))
  );
}
