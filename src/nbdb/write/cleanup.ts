// Taking every row of ours out of the database: port groups first, and with them their ACLs, then address sets, so that
// no ACL ever refers to a set that is gone.

import type { PolicyKey } from "../../policy/ir.ts";
import type { Actual } from "../actual/actual.ts";
import { northboundOperations } from "../rows/schema.ts";
import type { NorthboundWriter } from "./northbound-writer.ts";

/** Rows of ours in the database, by the policy that owns them. */
export interface OwnedRows {
  readonly policy: PolicyKey;
  readonly portGroups: number;
  readonly acls: number;
  readonly addressSets: number;
}

export function ownedRows(actual: Actual): readonly OwnedRows[] {
  return [...actual.owners()].sort().map((policy) => {
    const groups = actual.ownedBy("Port_Group", policy);
    return {
      policy,
      portGroups: groups.length,
      acls: groups.reduce((sum, { row }) => sum + row.acls.size, 0),
      addressSets: actual.ownedBy("Address_Set", policy).length,
    };
  });
}

/** Rejects as NorthboundWriter.transact does; what was done before stays done, and a second try does the rest. */
export async function removeOwnedRows(writer: NorthboundWriter, actual: Actual): Promise<void> {
  for (const table of ["Port_Group", "Address_Set"] as const) {
    const rows = [...actual.owners()].flatMap((policy) => actual.ownedBy(table, policy));
    await writer.transact(rows.map(({ uuid }) => northboundOperations.remove(table, uuid)));
  }
}
