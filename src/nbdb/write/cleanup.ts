// Deletes every row of ours from the database: port groups first, and their ACLs with them, then address sets, so that
// no ACL ever refers to a deleted set.

import type { UnitKey } from "../rows/unit.ts";
import type { Actual } from "../actual/actual.ts";
import { northboundOperations } from "../rows/schema.ts";
import type { NorthboundWriter } from "./northbound-writer.ts";

/** Our rows in the database, by the unit that owns them: a policy's own unit is shown as the policy's key. */
export interface OwnedRows {
  readonly unit: UnitKey;
  readonly portGroups: number;
  readonly acls: number;
  readonly addressSets: number;
}

export function ownedRows(actual: Actual): readonly OwnedRows[] {
  return [...actual.owners()].sort().map((unit) => {
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
  for (const table of ["Port_Group", "Address_Set"] as const) {
    const rows = [...actual.owners()].flatMap((unit) => actual.ownedBy(table, unit));
    await writer.transact(rows.map(({ uuid }) => northboundOperations.remove(table, uuid)));
  }
}
