// Two renderings of one policy: only what differs between them is to be compared with the database again.

import type { Rendering } from "./desired.ts";
import type { DesiredAddressSet, PolicyRows } from "./render.ts";
import type { PolicyDirt } from "./dirt.ts";

export function markDifference(
  before: PolicyRows,
  { after, carried }: Pick<Rendering, "after" | "carried">,
  dirt: PolicyDirt,
): void {
  // Rows may have to go: only a whole comparison looks for those.
  if (before.addressSets.length !== after.addressSets.length) {
    dirt.whole = true;
    return;
  }
  const setsBefore = new Map(before.addressSets.map((set) => [set.name, set]));
  for (const set of after.addressSets) {
    const old = setsBefore.get(set.name);
    if (old === undefined) dirt.whole = true;
    else if (!sameContents(old, set)) dirt.addressSets.set(set.name, "all");
  }
  if (before.portGroup.subject !== after.portGroup.subject) dirt.ports = "all";
  for (const named of after.namedPortRules) {
    const earlier = carried.get(named);
    // What the earlier rule was still to look at is this one's to look at.
    if (earlier === undefined || dirt.namedPorts.has(earlier)) dirt.namedPorts.set(named, "all");
  }
  dirt.aclReferences = true;
}

function sameContents(a: DesiredAddressSet, b: DesiredAddressSet): boolean {
  return (
    a.groups.length === b.groups.length &&
    a.groups.every((group) => b.groups.includes(group)) &&
    a.networks.size === b.networks.size &&
    [...a.networks].every((network) => b.networks.has(network))
  );
}
