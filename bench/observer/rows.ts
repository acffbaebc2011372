// The rows a policy must have, each with what it takes to compare it and to write it, and how two of them differ.

import type { DesiredAcl } from "../../src/nbdb/rows/acl.ts";
import type { DesiredRows } from "../../src/nbdb/desired/unit-state.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import type { ExternalIds } from "../../src/nbdb/rows/names.ts";
import type { DesiredAddressSet, DesiredPortGroup, NamedPortSet } from "../../src/nbdb/rows/unit.ts";
import type { AclRow } from "../../src/nbdb/rows/schema.ts";
import { uuidOf } from "../floor/uuid.ts";
import { Fingerprint } from "./fingerprint.ts";
import { aclImage, addressSetImage, type Image, portGroupImage } from "./image.ts";
import type { View } from "./view.ts";

export type ExpectedRow =
  | { readonly table: "ACL"; readonly id: string; readonly row: AclRow }
  | {
      readonly table: "Address_Set";
      readonly id: string;
      readonly set: DesiredAddressSet | NamedPortSet;
      readonly addresses: Fingerprint;
      size: number;
    }
  | {
      readonly table: "Port_Group";
      readonly id: string;
      readonly group: DesiredPortGroup;
      readonly ports: Fingerprint;
      readonly acls: ReadonlySet<string>;
    };

/** Elements that came and went. */
export interface Elements {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** One row as it was and must become. Elements are told for rows that stay: addresses, or names of ports. */
export interface RowChange {
  readonly before: ExpectedRow | null;
  readonly after: ExpectedRow | null;
  readonly elements: Elements;
}

export const noElements: Elements = { added: [], removed: [] };

export function idOf(externalIds: ExternalIds): string {
  return externalIds.get(keys.id) ?? "";
}

export function aclRow({ id, row }: DesiredAcl): ExpectedRow {
  return { table: "ACL", id, row };
}

export function addressSetRow(set: DesiredAddressSet | NamedPortSet, view: View): ExpectedRow {
  const addresses = view.addresses(set);
  const print = Fingerprint.of(addresses);
  return {
    table: "Address_Set",
    id: idOf(set.externalIds),
    set,
    addresses: print,
    size: addresses.length,
  };
}

export function portGroupRow(
  group: DesiredPortGroup,
  state: DesiredRows,
  { content }: View,
  ports = Fingerprint.of(content.portNames(group).map(uuidOf)),
): ExpectedRow {
  const acls = new Set([...state.aclsOf(group.name)].map((acl) => acl.id));
  return { table: "Port_Group", id: idOf(group.externalIds), group, ports, acls };
}

/** All rows of a unit; its named ports must have been resolved. */
export function rowsOf(state: DesiredRows, view: View): readonly ExpectedRow[] {
  return [
    ...Array.from(state.addressSets(), (set) => addressSetRow(set, view)),
    ...[...state.acls()].map(aclRow),
    ...state.rows.portGroups.map((group) => portGroupRow(group, state, view)),
  ];
}

export function imageOf(row: ExpectedRow): Image {
  switch (row.table) {
    case "ACL":
      return aclImage(row.row);
    case "Address_Set":
      return addressSetImage(row.set.name, row.set.externalIds, row.addresses.text);
    case "Port_Group": {
      const { name, externalIds } = row.group;
      return portGroupImage(name, externalIds, row.ports.text, Fingerprint.of(row.acls).text);
    }
  }
}

/** Which of the candidates came and went; null: none did. */
export function moved(
  candidates: Iterable<string>,
  was: (element: string) => boolean,
  is: (element: string) => boolean,
): Elements | null {
  const added: string[] = [];
  const removed: string[] = [];
  for (const element of candidates) {
    const now = is(element);
    if (now === was(element)) continue;
    (now ? added : removed).push(element);
  }
  return added.length + removed.length === 0 ? null : { added, removed };
}
