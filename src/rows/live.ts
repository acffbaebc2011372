// The rows of a Northbound database that is there: what a session must follow, and the rows in its cache. All owners' rows,
// read only; the session asks for no lock. ACL.tier sets the floor, as for `run`: OVN 23.06 or newer.

import { column } from "../ovsdb/description.ts";
import type { Cache, Monitors } from "../ovsdb/session.ts";
import type { Identified, RowRecords, Texts } from "./records.ts";

export const standingDatabase = {
  name: "OVN_Northbound",
  tables: {
    ACL: {
      name: column.optional("string"),
      action: column.one("string"),
      direction: column.one("string"),
      priority: column.one("integer"),
      tier: column.one("integer"),
      match: column.one("string"),
      log: column.one("boolean"),
      severity: column.optional("string"),
      meter: column.optional("string"),
      label: column.one("integer"),
      options: column.map("string", "string"),
      external_ids: column.map("string", "string"),
    },
    Address_Set: {
      name: column.one("string"),
      addresses: column.set("string"),
      external_ids: column.map("string", "string"),
    },
    Port_Group: {
      name: column.one("string"),
      ports: column.set("uuid"),
      acls: column.set("uuid"),
      external_ids: column.map("string", "string"),
    },
    Logical_Switch: {
      name: column.one("string"),
      ports: column.set("uuid"),
      acls: column.set("uuid"),
    },
    Logical_Switch_Port: { name: column.one("string"), type: column.one("string") },
    NB_Global: { options: column.map("string", "string") },
  },
} as const;

export type StandingDatabase = typeof standingDatabase;

export const standingMonitors: Monitors<StandingDatabase> = {
  ACL: {},
  Address_Set: {},
  Port_Group: {},
  Logical_Switch: {},
  Logical_Switch_Port: {},
  NB_Global: {},
};

/** The rows as they are now; they do not follow the cache. */
export function liveRecords(cache: Cache<StandingDatabase>): RowRecords {
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
