// Two renderings of one policy: only what differs between them is to be compared with the database again. What is the same
// object in both was not rendered again, and does not differ. What is pending from before stays so.

import { sameSequence } from "../../lib/sequence.ts";
import type { Rendering } from "./desired.ts";
import type { PolicyPending } from "../pending.ts";
import type { NamedPortsChange } from "./policy-state.ts";
import type { DesiredAddressSet, RuleRows } from "../rows/render.ts";

export function markDifference(
  { before, after, changes, namedPorts }: Rendering,
  pending: PolicyPending,
): void {
  if (before?.families !== after.families) {
    pending.whole = true;
    return;
  }
  if (!sameSequence(before.portGroup.subjects, after.portGroup.subjects)) pending.ports = "all";
  for (const change of changes) {
    // Rows may have to go: only a whole comparison looks for those.
    if (change.before === null || change.after === null) pending.whole = true;
    else markRule(change.before, change.after, namedPorts, pending);
  }
  for (const id of namedPorts.acls) pending.acls.add(id);
  for (const name of namedPorts.sets) pending.addressSets.mark(name, "all");
}

function markRule(
  before: RuleRows,
  after: RuleRows,
  { carried }: NamedPortsChange,
  pending: PolicyPending,
): void {
  if (before.addressSets !== after.addressSets) markSets(before.addressSets, after.addressSets, pending);
  // An ACL that is not desired any more is pending as well: the planner finds that it goes.
  if (before.acls !== after.acls) for (const { id } of [...before.acls, ...after.acls]) pending.acls.add(id);
  const { namedPorts: named } = after;
  if (named === null || named === before.namedPorts) return;
  const earlier = carried.get(named);
  // What the earlier rule was still to look at is this one's to look at.
  if (earlier === undefined || pending.namedPorts.has(earlier)) pending.namedPorts.mark(named, "all");
}

/** Both have one for each family, in the same order and of the same name. */
function markSets(
  before: readonly DesiredAddressSet[],
  after: readonly DesiredAddressSet[],
  pending: PolicyPending,
): void {
  for (const [at, set] of after.entries()) {
    const old = before[at];
    if (old === undefined || !sameContents(old, set)) pending.addressSets.mark(set.name, "all");
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
