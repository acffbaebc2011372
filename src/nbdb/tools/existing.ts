// The rows of `--nb`: of a database, or of a file. Reads them once and ends; asks for no lock and writes
// nothing. What is wrong with a file is reported by table, row and column. Also what should exist instead, which depends on the
// places that policies' rows already have there.

import { readFileSync } from "node:fs";
import { everyDialect } from "../../dialects.ts";
import { existingPlaces } from "../actual/existing-places.ts";
import type { ObjectKind } from "../../model/object.ts";
import { isSameKind } from "../../model/object.ts";
import type { Owners } from "../rows/owners.ts";
import { ownerOf, rowOwners } from "../rows/owners.ts";
import type { RenderedModel } from "../../offline/rendered.ts";
import { opensSoon } from "../actual/opens-soon.ts";
import { tablesOf } from "./rendered.ts";
import type { TlsFiles } from "../../ovsdb/index.ts";
import { openSession } from "../../ovsdb/index.ts";
import type { BothRows, RowDifference, RowRecords, DatabaseRows } from "../audit/index.ts";
import {
  bothRows,
  compareRows,
  liveRecords,
  readRecords,
  liveDatabase,
  liveMonitors,
  databaseRows,
} from "../audit/index.ts";

const filePrefix = "file:";

export interface ReadDatabase {
  readonly rows: DatabaseRows;
  /** Of a server's database; null: of a file. */
  readonly schemaVersion: string | null;
}

/** `unix:PATH`, `tcp:HOST:PORT`, `ssl:HOST:PORT`, several with commas, or `file:PATH`. Throws an Error of one sentence. */
export async function readDatabaseRows(remote: string, tls: TlsFiles | null): Promise<ReadDatabase> {
  if (remote.startsWith(filePrefix))
    return { rows: databaseRows(recordsOfFile(remote.slice(filePrefix.length))), schemaVersion: null };
  const { records, schemaVersion } = await recordsOf(remote, tls);
  return { rows: databaseRows(records), schemaVersion };
}

function recordsOfFile(path: string): RowRecords {
  const read = readRecords(readFileSync(path, "utf8"));
  if ("records" in read) return read.records;
  const [first, ...others] = read.problems;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  const field = first?.field ?? "";
  throw new Error(`${path}: ${field === "" ? "" : `${field}: `}${first?.message ?? "unreadable"}${more}`);
}

async function recordsOf(
  remotes: string,
  tls: TlsFiles | null,
): Promise<{ readonly records: RowRecords; readonly schemaVersion: string | null }> {
  const session = openSession({
    ...{ remotes, database: liveDatabase, monitors: liveMonitors },
    ...(tls === null ? {} : { tls }),
  });
  try {
    if (await opensSoon(session))
      return { records: liveRecords(session.cache), schemaVersion: session.schemaVersion };
    throw new Error(`no Northbound database: ${session.failure?.message ?? "no answer"}`);
  } finally {
    await session.close();
  }
}

/** Of the rows of policies, without those of kinds whose rows are another program's. */
export function ownersWithout(others: readonly ObjectKind[]): Owners {
  const kinds = [...everyDialect.owners].filter(([, kind]) => !others.some((one) => isSameKind(one, kind)));
  return rowOwners(new Map(kinds));
}

const everyOwner = ownersWithout([]);

/** How rows of policies differ from what the model asks for, at the places that they have. */
export function rowDifferences(
  standing: DatabaseRows,
  model: RenderedModel,
  owners: Owners = everyOwner,
): readonly RowDifference[] {
  return compareRows(policyRows(standing, model, owners));
}

/** The existing rows of policies, by table. */
export function ownedRows(
  { records }: DatabaseRows,
  owners: Owners,
): Readonly<Record<string, readonly object[]>> {
  const isOurs = ({ external_ids }: { readonly external_ids: Readonly<Record<string, string>> }) =>
    ownerOf(new Map(Object.entries(external_ids)), owners) !== null;
  const { ACL, Port_Group, Address_Set } = records;
  return {
    ACL: ACL.filter(isOurs),
    Port_Group: Port_Group.filter(isOurs),
    Address_Set: Address_Set.filter(isOurs),
  };
}

/** The existing rows of policies, and those that the model asks for; both as render prints them. */
export function policyRows(
  { records }: DatabaseRows,
  model: RenderedModel,
  owners: Owners = everyOwner,
): BothRows {
  const unitOf = (externalIds: Readonly<Record<string, string>>) =>
    ownerOf(new Map(Object.entries(externalIds)), owners);
  const owned = records.ACL.flatMap((row) => {
    const unit = unitOf(row.external_ids);
    const external_ids = new Map(Object.entries(row.external_ids));
    return unit === null ? [] : [[unit, { ...row, external_ids }] as const];
  });
  const wanted = tablesOf(model, existingPlaces(owned));
  return bothRows(records, wanted, (externalIds) => unitOf(externalIds) !== null);
}
