// Desired rows for users: the three tables, one line for each row, in the order in which OVN evaluates ACLs.

import { aligned } from "../../lib/aligned.ts";
import { shownList } from "../../lib/text/shown-list.ts";
import { keys } from "../rows/names.ts";
import type { AclRecord, SampledAclRecord, SampledTables, Tables } from "../rows/records.ts";

export function formatTable(tables: Tables | SampledTables): string {
  const isSampled = "Sample" in tables;
  const samples: readonly string[] = isSampled ? ["SAMPLE"] : [];
  return [
    section("Port_Group", ["NAME", "OWNER", "ACLS", "PORTS"], tables.Port_Group, (row) => [
      row.name,
      ownerOf(row.external_ids),
      String(row.acls.length),
      shownList(row.ports),
    ]),
    section("Address_Set", ["NAME", "OWNER", "ADDRESSES"], tables.Address_Set, (row) => [
      row.name,
      ownerOf(row.external_ids),
      shownList(row.addresses),
    ]),
    section(
      "ACL",
      ["TIER", "PRIORITY", "NAME", "DIRECTION", "ACTION", "LOG", ...samples, "MATCH"],
      sorted(tables.ACL),
      (row) => [
        String(row.tier),
        String(row.priority),
        row.name ?? "",
        row.direction,
        row.action,
        row.severity ?? "-",
        ...("sample_new" in row ? [String(row.sample_new)] : []),
        row.match,
      ],
    ),
    ...(isSampled ? samplingSections(tables) : []),
  ].join("\n");
}

/** Each ACL has a Sample: its number is in the ACL's line. */
function samplingSections({ Sample_Collector, Sampling_App }: SampledTables): readonly string[] {
  return [
    section("Sample_Collector", ["ID", "SET_ID", "PROBABILITY"], Sample_Collector, (row) =>
      [row.id, row.set_id, row.probability].map(String),
    ),
    section("Sampling_App", ["TYPE", "ID"], Sampling_App, ({ type, id }) => [type, String(id)]),
  ];
}

function sorted(acls: readonly (AclRecord | SampledAclRecord)[]): readonly (AclRecord | SampledAclRecord)[] {
  return [...acls].sort(
    (a, b) => a.tier - b.tier || b.priority - a.priority || a.direction.localeCompare(b.direction),
  );
}

function ownerOf(externalIds: Readonly<Record<string, string>>): string {
  return (externalIds[keys.id] ?? "").split(":").slice(1).join(":");
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
