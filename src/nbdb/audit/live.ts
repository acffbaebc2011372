// The rows of a Northbound database that is there: what a session must follow, and the rows in its cache. All owners' rows,
// read only; the session asks for no lock.

import { column } from "../../ovsdb/notation/description.ts";
import type { Cache, Monitors } from "../../ovsdb/session/session.ts";
import { aclTable, northbound } from "../rows/schema.ts";
import type { Texts } from "../rows/records.ts";
import type { Identified, RowRecords } from "./records.ts";

export const liveDatabase = {
  name: northbound.name,
  tables: {
    ACL: { ...aclTable, label: column.one("integer") },
    Address_Set: northbound.tables.Address_Set,
    Port_Group: northbound.tables.Port_Group,
    Logical_Switch: {
      name: column.one("string"),
      ports: column.set("uuid"),
      acls: column.set("uuid"),
    },
    Logical_Switch_Port: { name: column.one("string"), type: column.one("string") },
    NB_Global: { options: column.map("string", "string") },
  },
} as const;

export type LiveDatabase = typeof liveDatabase;

export const liveMonitors: Monitors<LiveDatabase> = {
  ACL: {},
  Address_Set: {},
  Port_Group: {},
  Logical_Switch: {},
  Logical_Switch_Port: {},
  NB_Global: {},
};

/** The rows as they are now; they do not follow the cache. */
export function liveRecords(cache: Cache<LiveDatabase>): RowRecords {
  const [global] = cache.table("NB_Global").entries();
  return {
    ACL: identified(cache.table("ACL").entries(), (row) => ({
      ...row,
      options: plain(row.options),
      external_ids: plain(row.external_ids),
    })),
    Port_Group: identified(cache.table("Port_Group").entries(), (row) => ({
      name: row.name,
      external_ids: plain(row.external_ids),
      ports: [...row.ports],
      acls: [...row.acls],
    })),
    Address_Set: identified(cache.table("Address_Set").entries(), (row) => ({
      name: row.name,
      addresses: [...row.addresses],
      external_ids: plain(row.external_ids),
    })),
    Logical_Switch: identified(cache.table("Logical_Switch").entries(), (row) => ({
      name: row.name,
      ports: [...row.ports],
      acls: [...row.acls],
    })),
    Logical_Switch_Port: identified(cache.table("Logical_Switch_Port").entries(), (row) => row),
    options: plain(global?.[1].options ?? new Map()),
  };
}

function identified<Row, Record>(
  entries: Iterable<readonly [string, Row]>,
  recordOf: (row: Row) => Record,
): readonly Identified<Record>[] {
  return Array.from(entries, ([uuid, row]) => ({ ...recordOf(row), uuid }));
}

function plain(map: ReadonlyMap<string, string>): Texts {
  return Object.fromEntries(map);
}
