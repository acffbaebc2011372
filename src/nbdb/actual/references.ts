// Which units' sets and port groups are named in the matches of ACLs that stand. A row that an ACL names must not be deleted:
// the ACL would be an error, and OVN would leave it out. Invariant: reads only the cache; what is desired does not count.

import type { Uuid } from "../../ovsdb/description.ts";
import type { UnitKey } from "../rows/unit.ts";
import type { Actual } from "./actual.ts";

type Acls = ReturnType<Actual["everyAcl"]>;

const fewNames = 24;

/** The ACLs that name a row of a unit, by unit, for units with any; of every ACL unless told of which. Reads each once. */
export function namingAcls(
  units: Iterable<UnitKey>,
  actual: Actual,
  acls: Acls = actual.everyAcl(),
): ReadonlyMap<UnitKey, readonly Uuid[]> {
  const unitOf = new Map<string, UnitKey>();
  for (const unit of units) for (const name of namesOf(unit, actual)) unitOf.set(name, unit);
  const naming = new Map<UnitKey, Uuid[]>();
  if (unitOf.size === 0) return naming;
  // To look for a few names is much less work than to read every name.
  const few = unitOf.size <= fewNames ? [...unitOf.keys()] : null;
  for (const [uuid, { match }] of acls) {
    if (few?.some((name) => match.includes(name)) === false) continue;
    for (const name of namesIn(match)) {
      const unit = unitOf.get(name);
      if (unit === undefined) continue;
      const known = naming.get(unit);
      if (known === undefined) naming.set(unit, [uuid]);
      else if (known.at(-1) !== uuid) known.push(uuid);
    }
  }
  return naming;
}

/** Whether the ACL still stands and names a row of the unit. */
export function isNamedBy(unit: UnitKey, acl: Uuid, actual: Actual): boolean {
  const names = new Set(namesOf(unit, actual));
  return namesIn(actual.acl(acl)?.match ?? "").some((name) => names.has(name));
}

/** As matches have them: `$set` and `@group`. */
function namesOf(unit: UnitKey, actual: Actual): readonly string[] {
  return [
    ...actual.ownedBy("Address_Set", unit).map(({ row }) => `$${row.name}`),
    ...actual.ownedBy("Port_Group", unit).map(({ row }) => `@${row.name}`),
  ];
}

function namesIn(match: string): IteratorObject<string> {
  return match.matchAll(/[$@]\w+/g).map(([name]) => name);
}
