// One row as the observer compares it: a text a column. Sets are fingerprints, references to ACLs stand under the ACLs'
// ids, because uuids differ from database to database. Equal images: the rows say the same.

import type { AclRow } from "../../src/nbdb/rows/schema.ts";
import type { ExternalIds } from "../../src/nbdb/rows/names.ts";

export const tables = ["ACL", "Address_Set", "Port_Group"] as const;
export type Table = (typeof tables)[number];

/** The columns that are compared; the order is that of the monitor's request. */
export const columnsOf: Readonly<Record<Table, readonly string[]>> = {
  ACL: [
    ...["name", "action", "direction", "priority", "tier", "match", "log", "severity", "meter"],
    ...["options", "external_ids"],
  ],
  Address_Set: ["name", "addresses", "external_ids"],
  Port_Group: ["name", "ports", "acls", "external_ids"],
};

export type Image = Readonly<Record<string, string>>;

export function sameImage(one: Image, other: Image): boolean {
  const columns = Object.keys(one);
  return (
    columns.length === Object.keys(other).length && columns.every((column) => one[column] === other[column])
  );
}

export function scalarText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function mapText(map: ExternalIds): string {
  return JSON.stringify([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function aclImage(row: AclRow): Image {
  return {
    name: scalarText(row.name),
    action: row.action,
    direction: row.direction,
    priority: scalarText(row.priority),
    tier: scalarText(row.tier),
    match: row.match,
    log: scalarText(row.log),
    severity: scalarText(row.severity),
    meter: scalarText(row.meter),
    options: mapText(row.options),
    external_ids: mapText(row.external_ids),
  };
}

export function addressSetImage(name: string, externalIds: ExternalIds, addresses: string): Image {
  return { name, addresses, external_ids: mapText(externalIds) };
}

export function portGroupImage(name: string, externalIds: ExternalIds, ports: string, acls: string): Image {
  return { name, ports, acls, external_ids: mapText(externalIds) };
}
