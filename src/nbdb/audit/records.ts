// Rows of a Northbound database as plain data, of every owner: in the form of nbdb/rows/records.ts, with the switches and
// ports that render has none of. Sets are lists, references are keys of rows: a uuid, or where a file has none, an ACL's
// `k8s.ovn.org/id` and a port's name. Source of names and bounds: ovn-nb.ovsschema.

import type { AclRecord, AddressSetRecord, PortGroupRecord, Texts } from "../rows/records.ts";

/** A row and its own uuid; null: it is from a file that has none. */
export type Identified<R> = R & { readonly uuid: string | null };

interface SwitchRecord {
  readonly name: string;
  /** Keys of ports and of the switch's own ACLs. */
  readonly ports: readonly string[];
  readonly acls: readonly string[];
}

interface PortRecord {
  readonly name: string;
  /** "" for a port of a pod. */
  readonly type: string;
}

export interface RowRecords {
  readonly ACL: readonly Identified<AclRecord>[];
  readonly Port_Group: readonly Identified<PortGroupRecord>[];
  readonly Address_Set: readonly Identified<AddressSetRecord>[];
  /** null: it is not known which port is on which switch. */
  readonly Logical_Switch: readonly Identified<SwitchRecord>[] | null;
  readonly Logical_Switch_Port: readonly Identified<PortRecord>[];
  /** NB_Global.options. */
  readonly options: Texts;
}
