// Taking every row of ours out of the database: port groups first, and with them their ACLs, then address sets, so that
// no ACL ever refers to a set that is gone.

import type { Session } from "../../ovsdb/session.ts";
import type { Actual } from "../actual/actual.ts";
import type { Northbound } from "../rows/schema.ts";
import { northboundOperations } from "../rows/schema.ts";

/** Rows of ours in the database, by the unit that owns them: a policy's own goes by the policy's key. */
export interface OwnedRows {
  readonly unit: string;
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

/** Rejects as Session.transact does; what was done before stays done, and a second try does the rest. */
export async function removeOwnedRows(session: Session<Northbound>, actual: Actual): Promise<void> {
  for (const table of ["Port_Group", "Address_Set"] as const) {
    const rows = [...actual.owners()].flatMap((unit) => actual.ownedBy(table, unit));
    await session.transact(rows.map(({ uuid }) => northboundOperations.remove(table, uuid)));
  }
}
