// Deletes rows of ours from the database: port groups first, and their ACLs with them, then address sets. Invariant: no ACL
// ever refers to a deleted set. `actual` says whose rows are meant: with the owners of some kinds alone, sets that rows of
// other kinds share stay, as long as the session follows those kinds too.

import type { UnitKey } from "../rows/unit.ts";
import { policyOfUnit } from "../rows/unit.ts";
import type { Actual } from "../actual/actual.ts";
import { namingAcls } from "../actual/references.ts";
import { northboundOperations } from "../rows/schema.ts";
import type { NorthboundWriter } from "./northbound-writer.ts";

/** Our rows in the database, by the unit that owns them: a policy's own unit is shown as the policy's key. */
export interface OwnedRows {
  readonly unit: UnitKey;
  readonly portGroups: number;
  readonly acls: number;
  readonly addressSets: number;
}

/** Without those that must stay because others share them. */
export function ownedRows(actual: Actual): readonly OwnedRows[] {
  const shared = sharedUnits(actual);
  const staying = namingAcls(shared, actual, (acl) => actual.isOfOthers(acl));
  const units = [...actual.owners()].filter((unit) => !staying.has(unit));
  return units.sort().map((unit) => {
    const groups = actual.ownedBy("Port_Group", unit);
    return {
      unit,
      portGroups: groups.length,
      acls: groups.reduce((sum, { row }) => sum + row.acls.size, 0),
      addressSets: actual.ownedBy("Address_Set", unit).length,
    };
  });
}

/** Rejects as NorthboundWriter.transact does; deletions before the failure stay, and a second run deletes the rest. */
export async function removeOwnedRows(writer: NorthboundWriter, actual: Actual): Promise<void> {
  await remove("Port_Group", actual.owners());
  // The ACLs went with their groups: those that are left are of others.
  const staying = namingAcls(sharedUnits(actual), actual);
  await remove(
    "Address_Set",
    [...actual.owners()].filter((unit) => !staying.has(unit)),
  );

  async function remove(table: "Port_Group" | "Address_Set", units: Iterable<UnitKey>): Promise<void> {
    const rows = [...units].flatMap((unit) => actual.ownedBy(table, unit));
    await writer.transact(rows.map(({ uuid }) => northboundOperations.remove(table, uuid)));
  }
}

function sharedUnits(actual: Actual): readonly UnitKey[] {
  return [...actual.owners()].filter((unit) => policyOfUnit(unit) === null);
}
