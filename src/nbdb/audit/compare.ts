// How existing rows differ from desired rows: missing, extra, or altered in which columns. A row is found again by its
// table and its `k8s.ovn.org/id`; a second row of one id is extra. Only rows of the given owners count: it is unknown what a
// foreign row should be. Ports that the database does not have cannot be in its groups, so their absence is no difference.

import { printable } from "../../model/quote.ts";
import type { Tables, Texts } from "../rows/records.ts";
import { idOf } from "../rows/records.ts";
import type { RowRecords } from "./records.ts";

export type RowTable = keyof Tables;

export interface RowDifference {
  readonly kind: "missing" | "extra" | "altered";
  readonly table: RowTable;
  /** `k8s.ovn.org/id`. */
  readonly id: string;
  /** Of the row; null: an ACL without one. */
  readonly name: string | null;
  readonly externalIds: Texts;
  /** Of an altered row: the columns that differ. */
  readonly columns: Readonly<Record<string, { readonly stands: unknown; readonly wanted: unknown }>>;
}

const tables: readonly RowTable[] = ["Port_Group", "Address_Set", "ACL"];

/** The rows of the same owners twice, in one form: references are names of ports and ids of ACLs, sets and maps are sorted. */
export interface BothRows {
  readonly stands: Tables;
  readonly wanted: Tables;
}

/** `isOwned`: by a row's external_ids. */
export function bothRows(
  records: RowRecords,
  wanted: Tables,
  isOwned: (externalIds: Texts) => boolean,
): BothRows {
  const acls = new Map(records.ACL.map((row) => [row.uuid, idOf(row) ?? row.uuid ?? ""] as const));
  const ports = new Map(records.Logical_Switch_Port.map(({ uuid, name }) => [uuid, name] as const));
  const existing = new Set(ports.values());
  const isHere = (port: string): boolean => records.Logical_Switch === null || existing.has(port);
  const owned = ({ external_ids }: Columns): boolean => isOwned(external_ids);
  const stands = {
    ACL: records.ACL.filter(owned),
    Address_Set: records.Address_Set.filter(owned),
    Port_Group: records.Port_Group.filter(owned).map((row) => ({
      ...row,
      ports: row.ports.map((key) => ports.get(key) ?? key),
      acls: row.acls.map((key) => acls.get(key) ?? key),
    })),
  };
  const should = {
    ACL: wanted.ACL.filter(owned),
    Address_Set: wanted.Address_Set.filter(owned),
    Port_Group: wanted.Port_Group.filter(owned).map((row) => ({ ...row, ports: row.ports.filter(isHere) })),
  };
  return { stands: sorted(stands), wanted: sorted(should) };
}

function sorted({ ACL, Address_Set, Port_Group }: Tables): Tables {
  const map = (texts: Texts): Texts =>
    Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ACL: ACL.map((row) => ({
      ...{ name: row.name, action: row.action, direction: row.direction, priority: row.priority },
      ...{ tier: row.tier, match: row.match, log: row.log, severity: row.severity, meter: row.meter },
      ...{ label: row.label, options: map(row.options), external_ids: map(row.external_ids) },
    })),
    Address_Set: Address_Set.map((row) => ({
      name: row.name,
      addresses: [...row.addresses].sort(),
      external_ids: map(row.external_ids),
    })),
    Port_Group: Port_Group.map((row) => ({
      name: row.name,
      external_ids: map(row.external_ids),
      ports: [...row.ports].sort(),
      acls: [...row.acls].sort(),
    })),
  };
}

export function compareRows({ stands, wanted }: BothRows): readonly RowDifference[] {
  return tables.flatMap((table) => differencesIn(table, stands[table], wanted[table]));
}

interface Columns {
  readonly name: string | null;
  readonly external_ids: Texts;
}

function differencesIn(
  table: RowTable,
  standing: readonly Columns[],
  wanted: readonly Columns[],
): readonly RowDifference[] {
  const left = Map.groupBy(standing, (row) => idOf(row) ?? "");
  const found: RowDifference[] = [];
  for (const row of wanted) {
    const id = idOf(row) ?? "";
    const stands = left.get(id)?.shift();
    if (stands === undefined) found.push(differenceOf("missing", table, row));
    else {
      const columns = differingColumns(stands, row);
      if (Object.keys(columns).length > 0) found.push({ ...differenceOf("altered", table, row), columns });
    }
  }
  const extra = [...left.values()].flat().map((row) => differenceOf("extra", table, row));
  return [...found, ...extra];
}

function differenceOf(kind: RowDifference["kind"], table: RowTable, row: Columns): RowDifference {
  const { name, external_ids: externalIds } = row;
  return { kind, table, id: idOf(row) ?? "", name, externalIds, columns: {} };
}

/** Every column of what is wanted. */
function differingColumns(stands: Columns, wanted: Columns): RowDifference["columns"] {
  const held = new Map<string, unknown>(Object.entries(stands));
  const columns = Object.entries(wanted).flatMap(([name, value]: [string, unknown]) =>
    JSON.stringify(value) === JSON.stringify(held.get(name))
      ? []
      : [[name, { stands: held.get(name), wanted: value }] as const],
  );
  return Object.fromEntries(columns);
}

/** One line for people. */
export function differenceText({ kind, table, id, columns }: RowDifference): string {
  const row = `${table} ${printable(id)}`;
  if (kind === "missing") return `${row} is missing`;
  if (kind === "extra") return `${row} is extra: no policy asks for it`;
  const said = Object.entries(columns).map(([name, { stands, wanted }]) => columnText(name, stands, wanted));
  return `${row} is altered: ${said.join("; ")}`;
}

function columnText(name: string, stands: unknown, wanted: unknown): string {
  if (!Array.isArray(stands) || !Array.isArray(wanted))
    return `${name} is ${shown(stands)}, not ${shown(wanted)}`;
  const lacks = wanted.filter((element) => !stands.includes(element));
  const has = stands.filter((element) => !wanted.includes(element));
  const some = (list: readonly unknown[]): string =>
    `${list.slice(0, shownElements).map(shown).join(", ")}${list.length > shownElements ? ", ..." : ""}`;
  const parts = [
    ...(lacks.length === 0 ? [] : [`lacks ${some(lacks)}`]),
    ...(has.length === 0 ? [] : [`has ${some(has)} too`]),
  ];
  return `${name} ${parts.join(" and ")}`;
}

const shownElements = 3;

function shown(value: unknown): string {
  return value === undefined ? "nothing" : printable(JSON.stringify(value), 300);
}
