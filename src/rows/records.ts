// Rows of a Northbound database as plain data, whoever owns them: in the form in which `northgate render -o json` prints
// rows, with the switches and ports that render has none of. Sets are lists, references are keys of rows: a uuid, or where
// a file has none, an ACL's `k8s.ovn.org/id` and a port's name. Source of names and bounds: ovn-nb.ovsschema.

export type Texts = Readonly<Record<string, string>>;

export interface AclRecord {
  readonly name: string | null;
  readonly action: string;
  readonly direction: string;
  readonly priority: number;
  readonly tier: number;
  readonly match: string;
  readonly log: boolean;
  readonly severity: string | null;
  readonly meter: string | null;
  readonly label: number;
  readonly options: Texts;
  readonly external_ids: Texts;
}

export interface PortGroupRecord {
  readonly name: string;
  readonly external_ids: Texts;
  readonly ports: readonly string[];
  readonly acls: readonly string[];
}

export interface AddressSetRecord {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly external_ids: Texts;
}

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

/** Key of external_ids that names a row for good. */
export const idKey = "k8s.ovn.org/id";

/** What a row calls itself: for people, and to find it again. */
export function idOf({ external_ids }: { readonly external_ids: Texts }): string | null {
  return external_ids[idKey] ?? null;
}
