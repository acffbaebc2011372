// Which units' sets and port groups are named in the matches of existing ACLs. A row that an ACL names must not be deleted:
// the ACL would be an error, and OVN would leave it out. Invariant: reads only the cache; what is desired does not count.
// Cost: the ACLs that name the rows, however many others there are.

import type { Uuid } from "../../ovsdb/notation/description.ts";
import type { UnitKey } from "../rows/unit.ts";
import type { Actual } from "./actual.ts";

/** The ACLs that name a row of a unit, each once, by unit, for units with any; of every ACL unless given which. */
export function namingAcls(
  units: Iterable<UnitKey>,
  actual: Actual,
  counts: (acl: Uuid) => boolean = () => true,
): ReadonlyMap<UnitKey, readonly Uuid[]> {
  const naming = new Map<UnitKey, readonly Uuid[]>();
  for (const unit of units) {
    const acls = new Set(
      namesOf(unit, actual).flatMap((name) => [...actual.aclsNaming(name)].filter(counts)),
    );
    if (acls.size > 0) naming.set(unit, [...acls]);
  }
  return naming;
}

/** Whether the ACL still exists and names a row of the unit. */
export function isNamedBy(unit: UnitKey, acl: Uuid, actual: Actual): boolean {
  return namesOf(unit, actual).some((name) => actual.aclsNaming(name).has(acl));
}

/** As matches have them: `$set` and `@group`. */
function namesOf(unit: UnitKey, actual: Actual): readonly string[] {
  return [
    ...actual.ownedBy("Address_Set", unit).map(({ row }) => `$${row.name}`),
    ...actual.ownedBy("Port_Group", unit).map(({ row }) => `@${row.name}`),
  ];
}
