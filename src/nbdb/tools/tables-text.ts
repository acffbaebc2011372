// Desired rows for users: the three tables, one line for each row, in the order in which OVN evaluates ACLs.

import { aligned } from "../../lib/aligned.ts";
import { keys } from "../rows/names.ts";
import type { AclRecord, Tables } from "../rows/records.ts";

const shownElements = 8;

export function formatTable(tables: Tables): string {
  return [
    section("Port_Group", ["NAME", "OWNER", "ACLS", "PORTS"], tables.Port_Group, (row) => [
      row.name,
      ownerOf(row.external_ids),
      String(row.acls.length),
      elements(row.ports),
    ]),
    section("Address_Set", ["NAME", "OWNER", "ADDRESSES"], tables.Address_Set, (row) => [
      row.name,
      ownerOf(row.external_ids),
      elements(row.addresses),
    ]),
    section(
      "ACL",
      ["TIER", "PRIORITY", "NAME", "DIRECTION", "ACTION", "LOG", "MATCH"],
      sorted(tables.ACL),
      (row) => [
        String(row.tier),
        String(row.priority),
        row.name ?? "",
        row.direction,
        row.action,
        row.severity ?? "-",
        row.match,
      ],
    ),
  ].join("\n");
}

function sorted(acls: readonly AclRecord[]): readonly AclRecord[] {
  return [...acls].sort(
    (a, b) => a.tier - b.tier || b.priority - a.priority || a.direction.localeCompare(b.direction),
  );
}

function ownerOf(externalIds: Readonly<Record<string, string>>): string {
  return (externalIds[keys.id] ?? "").split(":").slice(1).join(":");
}

function elements(list: readonly string[]): string {
  const shown = list.slice(0, shownElements).join(" ");
  const more = list.length - shownElements;
  if (list.length === 0) return "-";
  return more > 0 ? `${list.length}: ${shown} … and ${more} more` : `${list.length}: ${shown}`;
}

function section<R>(
  title: string,
  head: readonly string[],
  rows: readonly R[],
  cells: (row: R) => readonly string[],
): string {
  const lines = [head, ...rows.map(cells)];
  const text = aligned(lines);
  return [`${title} (${rows.length})`, ...text.map((line) => `  ${line}`), ""].join("\n");
}
