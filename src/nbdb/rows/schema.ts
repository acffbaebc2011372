// The tables and columns of OVN_Northbound that the rows use. ACL.tier sets the floor: OVN 23.06 or newer.
// Source of names, types and bounds: ovn-nb.ovsschema.

import { column } from "../../ovsdb/notation/description.ts";
import { operationsFor } from "../../ovsdb/notation/operation.ts";
import type { Row, RowOf, TableName } from "../../ovsdb/notation/description.ts";

/** The columns of ACLs that policies decide. */
export const aclTable = {
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
} as const;

export type AclRow = RowOf<typeof aclTable>;

export const aclColumns: readonly (keyof AclRow)[] = [
  ...(["name", "action", "direction", "priority", "tier", "match"] as const),
  ...(["log", "severity", "meter", "options", "external_ids"] as const),
];

/** What only --observe uses: OVN 24.09 or newer. */
const sampling: readonly string[] = [
  "ACL.sample_new",
  "ACL.sample_est",
  "Sample",
  "Sample_Collector",
  "Sampling_App",
];

export const northbound = {
  name: "OVN_Northbound",
  mayLack: sampling,
  tables: {
    ACL: { ...aclTable, sample_new: column.optional("uuid"), sample_est: column.optional("uuid") },
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
    Sample: {
      metadata: column.one("integer"),
      collectors: column.set("uuid"),
    },
    Sample_Collector: {
      id: column.one("integer"),
      set_id: column.one("integer"),
      probability: column.one("integer"),
      external_ids: column.map("string", "string"),
    },
    Sampling_App: {
      type: column.one("string"),
      id: column.one("integer"),
      external_ids: column.map("string", "string"),
    },
  },
} as const;

const none: readonly string[] = [];

/** With all that `flag` needs to sample ACLs. */
export function sampledNorthbound(flag: string): typeof northbound {
  const needed = { neededBy: Object.fromEntries(sampling.map((name) => [name, flag])) };
  return { ...northbound, ...needed, mayLack: none };
}

/**
 * For `persist-established` of ACL.options, which a flag asks for. A schema does not say which options are known: this is that of
 * OVN 25.03, which is the first that we know to obey it.
 */
export function persistentNorthbound(database: typeof northbound, flag: string): typeof northbound {
  const needed = { oldest: { version: "7.11.0", reason: flag } };
  return { ...database, ...needed };
}

export type Northbound = typeof northbound;
export type NorthboundTable = TableName<Northbound>;
/** The tables that hold rows of ours. */
export type OwnedTable = "ACL" | "Address_Set" | "Port_Group";
export type NorthboundRow<T extends NorthboundTable> = Row<Northbound, T>;

export const northboundOperations = operationsFor<Northbound>();
