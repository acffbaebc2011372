// The rows a policy must have, each with what it takes to compare it and to write it, and how two of them differ.

import type { DesiredAcl } from "../../src/nbdb/rows/acl.ts";
import type { PolicyState } from "../../src/nbdb/desired/policy-state.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import type { ExternalIds } from "../../src/nbdb/rows/names.ts";
import type {
  DesiredAddressSet,
  DesiredPortGroup,
  NamedPortRule,
  NamedPortSet,
} from "../../src/nbdb/rows/render.ts";
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
  state: PolicyState,
  { content }: View,
  ports = Fingerprint.of(content.portNames(state.rows.portGroup).map(uuidOf)),
): ExpectedRow {
  const { portGroup } = state.rows;
  const acls = new Set([...state.acls()].map((acl) => acl.id));
  return { table: "Port_Group", id: idOf(portGroup.externalIds), group: portGroup, ports, acls };
}

/** Resolves the rule's named ports as of now; tells the ids of its ACLs, those it had among them. */
export function resolve(state: PolicyState, named: NamedPortRule, { content }: View): readonly string[] {
  return state.resolved(named)?.resolve("all", content.namedPorts, () => []).acls ?? [];
}

/** All rows of a policy, its named ports resolved as of now. */
export function rowsOf(state: PolicyState, view: View): readonly ExpectedRow[] {
  for (const named of state.namedPortRules()) resolve(state, named, view);
  return [
    ...Array.from(state.addressSets(), (set) => addressSetRow(set, view)),
    ...[...state.acls()].map(aclRow),
    portGroupRow(state, view),
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
