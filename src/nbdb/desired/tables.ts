// The desired rows as plain data (rows/records.ts). Sets are sorted.

import type { ExternalIds } from "../rows/names.ts";
import type { AclRecord, AddressSetRecord, PortGroupRecord, Tables, Texts } from "../rows/records.ts";
import { idOf } from "../rows/records.ts";
import type { Content } from "./content.ts";
import type { SetContents } from "./set-contents.ts";
import type { DesiredRows } from "./unit-state.ts";

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

export function plain(map: ExternalIds): Texts {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface WithIds {
  readonly external_ids: Texts;
}

function byId(a: WithIds, b: WithIds): number {
  return (idOf(a) ?? "").localeCompare(idOf(b) ?? "", "en", { numeric: true });
}
