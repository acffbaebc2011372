// The tables and columns of OVN_Northbound that the rows use. ACL.tier sets the floor: OVN 23.06 or newer.
// Source of names, types and bounds: ovn-nb.ovsschema.

import { column } from "../../ovsdb/notation/description.ts";
import { operationsFor } from "../../ovsdb/notation/operation.ts";
import type { Row, RowOf, TableName } from "../../ovsdb/notation/description.ts";

export const northbound = {
  name: "OVN_Northbound",
  tables: {
    ACL: {
      name: column.optional("string"),
      action: column.one("string"),
      direction: column.one("string"),
      priority: column.one("integer"),
      tier: column.one("integer"),
      match: column.one("string"),
      log: column.one("boolean"),
      severity: column.optional("string"),
      meter: column.optional("string"),
      options: column.map("string", "string"),
      external_ids: column.map("string", "string"),
    },
    Address_Set: {
      name: column.one("string"),
      addresses: column.set("string"),
      external_ids: column.map("string", "string"),
    },
    Port_Group: {
      name: column.one("string"),
      ports: column.set("uuid"),
      acls: column.set("uuid"),
      external_ids: column.map("string", "string"),
    },
    Logical_Switch_Port: {
      name: column.one("string"),
    },
    Logical_Switch: {
      name: column.one("string"),
    },
    NB_Global: {
      name: column.one("string"),
      external_ids: column.map("string", "string"),
      nb_cfg: column.one("integer"),
      hv_cfg: column.one("integer"),
    },
  },
} as const;

/**
 * For `persist-established` of ACL.options, which a flag asks for. A schema does not say which options are known: this is that of
 * OVN 25.03, which is the first that we know to obey it.
 */
export function persistentNorthbound(flag: string) {
  return { ...northbound, oldest: { version: "7.11.0", reason: flag } } as const;
}

export type Northbound = typeof northbound;
export type NorthboundTable = TableName<Northbound>;
/** The tables that hold rows of ours. */
export type OwnedTable = "ACL" | "Address_Set" | "Port_Group";
export type NorthboundRow<T extends NorthboundTable> = Row<Northbound, T>;
export type AclRow = RowOf<Northbound["tables"]["ACL"]>;

export const northboundOperations = operationsFor<Northbound>();
