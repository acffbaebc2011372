// The floor: exactly the operations that rows need, in the wire's own notation. A change of a set is a mutate of the
// elements that moved, a changed column an update of it, named-port texts whole; nothing else is in it.

import type { ExternalIds } from "../../src/nbdb/rows/names.ts";
import type { AclRow } from "../../src/nbdb/rows/schema.ts";
import type { ExpectedRow, RowChange } from "../observer/rows.ts";
import type { View } from "../observer/view.ts";
import { uuidOf } from "./uuid.ts";

export type WireOperation = Readonly<Record<string, unknown>>;

const uuid = (name: string) => ["uuid", uuidOf(name)];
const set = (elements: Iterable<unknown>) => ["set", [...elements]];
const map = (pairs: ExternalIds) => ["map", [...pairs]];
const optional = (value: string | null) => value ?? ["set", []];

/** What one changed row takes. An ACL goes with the last reference to it. */
export function operationsOf({ before, after, elements }: RowChange, view: View): readonly WireOperation[] {
  if (after === null) {
    return before === null || before.table === "ACL"
      ? []
      : [{ op: "delete", table: before.table, where: [["_uuid", "==", uuid(before.id)]] }];
  }
  if (before === null) return [insertion(after, view)];
  const at = { table: after.table, where: [["_uuid", "==", uuid(after.id)]] };
  if (after.table === "ACL") {
    const row = before.table === "ACL" ? changedColumns(before.row, after.row) : {};
    return Object.keys(row).length === 0 ? [] : [{ op: "update", ...at, row }];
  }
  const mutations =
    after.table === "Address_Set"
      ? mutationsOf("addresses", elements.added, elements.removed)
      : [
          ...mutationsOf("ports", elements.added.map(uuid), elements.removed.map(uuid)),
          ...(before.table === "Port_Group" ? aclMutations(before.acls, after.acls) : []),
        ];
  return mutations.length === 0 ? [] : [{ op: "mutate", ...at, mutations }];
}

/** A row that is not there yet, under the uuid that its id gives. */
export function insertion(row: ExpectedRow, view: View): WireOperation {
  return { op: "insert", table: row.table, uuid: uuidOf(row.id), row: columns(row, view) };
}

function columns(row: ExpectedRow, view: View): WireOperation {
  switch (row.table) {
    case "ACL":
      return aclColumns(row.row);
    case "Address_Set": {
      const { name, externalIds } = row.set;
      return { name, addresses: set(view.addresses(row.set)), external_ids: map(externalIds) };
    }
    case "Port_Group": {
      const { name, externalIds } = row.group;
      const ports = set(view.content.portNames(row.group).map(uuid));
      return { name, ports, acls: set([...row.acls].map(uuid)), external_ids: map(externalIds) };
    }
  }
}

function aclColumns(row: AclRow): WireOperation {
  const { name, severity, meter, options, external_ids, ...plain } = row;
  return {
    ...plain,
    name: optional(name),
    severity: optional(severity),
    meter: optional(meter),
    options: map(options),
    external_ids: map(external_ids),
  };
}

function changedColumns(before: AclRow, after: AclRow): WireOperation {
  const [old, now] = [aclColumns(before), aclColumns(after)];
  return Object.fromEntries(
    Object.entries(now).filter(([column, value]) => JSON.stringify(value) !== JSON.stringify(old[column])),
  );
}

function mutationsOf(
  column: string,
  added: readonly unknown[],
  removed: readonly unknown[],
): readonly unknown[] {
  return [
    ...(removed.length > 0 ? [[column, "delete", set(removed)]] : []),
    ...(added.length > 0 ? [[column, "insert", set(added)]] : []),
  ];
}

function aclMutations(before: ReadonlySet<string>, after: ReadonlySet<string>): readonly unknown[] {
  return mutationsOf(
    "acls",
    [...after].filter((id) => !before.has(id)).map(uuid),
    [...before].filter((id) => !after.has(id)).map(uuid),
  );
}
