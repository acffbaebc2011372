// The desired rows as plain data, by NB table and column: what `northgate render` prints and what tests compare. Sets are
// sorted arrays, references are names and ids, unset optionals null.

import type { ExternalIds } from "../rows/names.ts";
import { keys } from "../rows/names.ts";
import type { Content } from "./content.ts";
import type { SetContents } from "./set-contents.ts";
import type { DesiredRows } from "./unit-state.ts";

export interface PortGroupRecord {
  readonly name: string;
  readonly external_ids: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  readonly acls: readonly string[];
}

export interface AddressSetRecord {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly external_ids: Readonly<Record<string, string>>;
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
  readonly options: Readonly<Record<string, string>>;
  readonly external_ids: Readonly<Record<string, string>>;
}

export interface Tables {
  readonly Port_Group: readonly PortGroupRecord[];
  readonly Address_Set: readonly AddressSetRecord[];
  readonly ACL: readonly AclRecord[];
}

export function desiredTables(
  states: Iterable<DesiredRows>,
  content: Content,
  contents: SetContents,
): Tables {
  const portGroups: PortGroupRecord[] = [];
  const addressSets: AddressSetRecord[] = [];
  const acls: AclRecord[] = [];
  for (const state of states) {
    for (const portGroup of state.rows.portGroups) {
      portGroups.push({
        name: portGroup.name,
        external_ids: plain(portGroup.externalIds),
        ports: [...content.portNames(portGroup)].sort(),
        acls: [...state.aclsOf(portGroup.name)].map((acl) => acl.id).sort(),
      });
    }
    for (const set of state.addressSets()) {
      addressSets.push({
        name: set.name,
        addresses: contents.of(set),
        external_ids: plain(set.externalIds),
      });
    }
    for (const { row } of state.acls()) {
      acls.push({ ...row, label: 0, options: plain(row.options), external_ids: plain(row.external_ids) });
    }
  }
  return {
    Port_Group: portGroups.sort(byId),
    Address_Set: addressSets.sort(byId),
    ACL: acls.sort(byId),
  };
}

function plain(map: ExternalIds): Readonly<Record<string, string>> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface WithIds {
  readonly external_ids: Readonly<Record<string, string>>;
}

function byId(a: WithIds, b: WithIds): number {
  return (a.external_ids[keys.id] ?? "").localeCompare(b.external_ids[keys.id] ?? "", "en", {
    numeric: true,
  });
}
