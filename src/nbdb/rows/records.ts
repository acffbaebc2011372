// Rows as plain data, by NB table and column: what `northgate render` prints, what tests and plans compare, and the form in
// which existing rows are read. Sets are lists, references are names and ids, unset optionals null. Source of names and
// bounds: ovn-nb.ovsschema.

import { keys } from "./names.ts";

export type Texts = Readonly<Record<string, string>>;

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

export interface Tables {
  readonly Port_Group: readonly PortGroupRecord[];
  readonly Address_Set: readonly AddressSetRecord[];
  readonly ACL: readonly AclRecord[];
}

export interface SampledAclRecord extends AclRecord {
  /** Sample.metadata. */
  readonly sample_new: number;
  readonly sample_est: number;
}

export interface SampleRecord {
  readonly metadata: number;
  readonly collectors: readonly string[];
}

export interface SampleCollectorRecord {
  readonly id: number;
  readonly set_id: number;
  readonly probability: number;
  readonly external_ids: Texts;
}

export interface SamplingAppRecord {
  readonly type: string;
  readonly id: number;
  readonly external_ids: Texts;
}

/** With what ACLs are sampled with. */
export interface SampledTables extends Tables {
  readonly ACL: readonly SampledAclRecord[];
  readonly Sample: readonly SampleRecord[];
  readonly Sample_Collector: readonly SampleCollectorRecord[];
  readonly Sampling_App: readonly SamplingAppRecord[];
}

/** What a row calls itself: for people, and to find it again; null: it has no `k8s.ovn.org/id`. */
export function idOf({ external_ids }: { readonly external_ids: Texts }): string | null {
  return external_ids[keys.id] ?? null;
}
