// The rows of ours that a database holds, in the form in which desired rows are written down.

import { ownerOf, rowOwners } from "../../src/nbdb/rows/owners.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import type { AclRow, Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import type { Cache } from "../../src/ovsdb/index.ts";
import { owners } from "./controller.ts";

const plain = (map: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Without the Samples that it may refer to. */
const aclRow = (row: AclRow): AclRow => {
  const { name, action, direction, priority, tier, match, log, severity, meter, options, external_ids } = row;
  return { name, action, direction, priority, tier, match, log, severity, meter, options, external_ids };
};

const byId = <R extends { readonly external_ids: Readonly<Record<string, string>> }>(
  rows: readonly R[],
): R[] =>
  [...rows].sort((a, b) =>
    (a.external_ids[keys.id] ?? "").localeCompare(b.external_ids[keys.id] ?? "", "en", { numeric: true }),
  );

export function actualTables(cache: Cache<Northbound>, of = rowOwners(owners)): Tables {
  const ports = cache.table("Logical_Switch_Port");
  const acls = cache.table("ACL");
  const owned = (row: { readonly external_ids: ReadonlyMap<string, string> }): boolean =>
    ownerOf(row.external_ids, of) !== null;
  const rowsOf = <R>(entries: Iterable<readonly [unknown, R]>): R[] => [...entries].map(([, row]) => row);
  return {
    Port_Group: byId(
      rowsOf(cache.table("Port_Group").entries())
        .filter(owned)
        .map((row) => ({
          name: row.name,
          external_ids: plain(row.external_ids),
          ports: [...row.ports].map((uuid) => ports.get(uuid)?.name ?? uuid).sort(),
          acls: [...row.acls].map((uuid) => acls.get(uuid)?.external_ids.get(keys.id) ?? uuid).sort(),
        })),
    ),
    Address_Set: byId(
      rowsOf(cache.table("Address_Set").entries())
        .filter(owned)
        .map((row) => ({
          name: row.name,
          addresses: [...row.addresses].sort(),
          external_ids: plain(row.external_ids),
        })),
    ),
    ACL: byId(
      rowsOf(acls.entries())
        .filter(owned)
        .map((row) => ({
          ...aclRow(row),
          label: 0,
          options: plain(row.options),
          external_ids: plain(row.external_ids),
        })),
    ),
  };
}
