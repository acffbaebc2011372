// What a Northbound database holds at one moment: rows of the contract's policies and rows of somebody else as canonical
// JSON, and a judge over them. Rows refer to each other by name there, so that states are comparable over uuids.

import { keys, ownerController } from "../../src/nbdb/rows/names.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Cache, Monitors } from "../../src/ovsdb/index.ts";
import { aclsByOrder } from "../support/ranked-places.ts";
import type { Snapshot } from "./harness.ts";
import { judgeByRows } from "./northbound-judge.ts";
import { contractOwners } from "./policies.ts";

export const everyRow: Monitors<Northbound> = {
  ...{ ACL: {}, Address_Set: {}, Port_Group: {}, Logical_Switch_Port: {} },
};

export function snapshotOf(cache: Cache<Northbound>): Snapshot {
  const ports = [...cache.table("Logical_Switch_Port").entries()].map(
    ([uuid, { name }]): readonly [string, string] => [uuid, name],
  );
  const acls = [...cache.table("ACL").entries()];
  const groups = [...cache.table("Port_Group").entries()].map(([, row]) => row);
  const sets = [...cache.table("Address_Set").entries()].map(([, row]) => row);
  const names = new Map([
    ...ports,
    ...acls.map(([uuid, acl]): readonly [string, string] => [uuid, acl.external_ids.get(keys.id) ?? uuid]),
  ]);
  const aclRows = acls.map(([, row]) => row);
  const ours = aclRows.filter((row) => isOurs(row.external_ids));
  const others = [...groups, ...sets];
  const textOf = (rows: readonly { readonly external_ids: ReadonlyMap<string, string> }[], whose: boolean) =>
    JSON.stringify(
      rows
        .filter((row) => isOurs(row.external_ids) === whose)
        .map((row) => rowText(row, names))
        .sort(),
    );
  return {
    state: textOf([...aclRows, ...others], true),
    fresh: textOf([...aclsByOrder(ours), ...others], true),
    foreign: textOf([...aclRows, ...others], false),
    judge: (connection) =>
      judgeByRows(
        {
          acls: acls.map(([, acl]) => acl),
          sets: new Map([
            ...sets.map((set) => [`$${set.name}`, new Set(set.addresses)] as const),
            ...groups.map((group) => [`@${group.name}`, namesIn(group.ports, names)] as const),
          ]),
        },
        connection,
      ),
  };
}

function isOurs(ids: ReadonlyMap<string, string>): boolean {
  return (
    contractOwners.has(ids.get(keys.ownerType) ?? "") && ids.get(keys.ownerController) === ownerController
  );
}

function namesIn(uuids: Iterable<string>, names: ReadonlyMap<string, string>): ReadonlySet<string> {
  return new Set([...uuids].map((uuid) => names.get(uuid) ?? uuid));
}

/** The row as JSON: references by name, sets and maps in order. */
function rowText(row: object, names: ReadonlyMap<string, string>): string {
  const plain = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Map) return [...(value as Map<string, string>)].sort(([a], [b]) => (a < b ? -1 : 1));
    return [...namesIn(value as Iterable<string>, names)].sort();
  };
  return JSON.stringify(
    Object.entries(row)
      .map(([column, value]): readonly [string, unknown] => [column, plain(value)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
