// What this commit has sent and the server has not yet sent back as changes. A change that equals what was sent needs
// no comparison, however large it is. Any other change, and a second change of the same row, is compared as usual.

import { append } from "../../lib/append.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { RowChange } from "../../ovsdb/session/session.ts";
import { ascending } from "../../lib/ascending.ts";
import { StringSet } from "../../ovsdb/notation/string-set.ts";
import type { Uuid } from "../../ovsdb/notation/description.ts";
import { sameValue } from "../rows/compare.ts";
import { keys } from "../rows/names.ts";
import type { Northbound, OwnedTable } from "../rows/schema.ts";
import type { Reference } from "./actual.ts";

type Row = Readonly<Record<string, unknown>>;

type Edit = Extract<Operation, { readonly op: "update" | "mutate" }>;

interface Insert {
  readonly row: Row;
  /** Ids of the ACLs that the same transaction inserts, by their `uuid-name`. */
  readonly named: ReadonlyMap<string, string>;
}

export class InFlight {
  readonly #inserts = new Map<string, Insert>();
  /** The edits of each row as they were sent, by its uuid: to prepare them for comparison would be work before sending. */
  readonly #edits = new Map<string, Edit[]>();
  /** Uuids of the ACLs that the server sent as inserted rows, by ACL id; null: more than one row has that id. */
  readonly #aclUuids = new Map<string, Uuid | null>();
  /** Names of the Address_Sets that the server sent as inserted. */
  readonly #fresh = new Set<string>();

  /** Call before the operations are sent: the server sends the changes before its reply. */
  expect(operations: readonly Operation[]): void {
    const named = namedAcls(operations);
    for (const operation of operations) {
      if (operation.op === "insert")
        this.#inserts.set(placeOf(operation.table, operation.row), { row: operation.row, named });
      else if (operation.op === "update" || operation.op === "mutate") this.#expectEdit(operation);
    }
  }

  /**
   * Notes the uuids that the server gave to the ACLs of one update. Call it before `hear` of any change of that update:
   * the update holds a port group and the ACLs inserted with it, in either order.
   */
  identify(changes: readonly RowChange<Northbound>[]): void {
    if (this.#inserts.size === 0) return;
    for (const { table, uuid, before, after } of changes) {
      if (table !== "ACL" || before !== null || after === null) continue;
      const id = idOf(after);
      if (id !== null) this.#aclUuids.set(id, this.#aclUuids.has(id) ? null : uuid);
    }
  }

  /** Whether the change equals what was sent; if so, it is not expected any more. */
  hear({ table, uuid, before, after, columns }: RowChange<Northbound, OwnedTable>): boolean {
    if (after === null) return false;
    const row: Row = after;
    if (before === null) {
      const place = placeOf(table, row);
      const sent = this.#inserts.get(place);
      if (sent === undefined || !isAsSent(row, sent, this.#aclUuids)) return false;
      this.#inserts.delete(place);
      if (table === "Address_Set") this.#fresh.add(String(row["name"]));
      return true;
    }
    const edits = this.#edits.get(uuid);
    if (edits === undefined || !isAsEdited(row, columns, edits)) return false;
    this.#edits.delete(uuid);
    return true;
  }

  /** Whether the set holds what this commit rendered, apart from later changes. */
  isFresh(name: string): boolean {
    return this.#fresh.has(name);
  }

  /** The commit is over: members may change from now on. */
  clear(): void {
    this.#inserts.clear();
    this.#edits.clear();
    this.#aclUuids.clear();
    this.#fresh.clear();
  }

  /** The conditions of an edit name one row. */
  #expectEdit(edit: Edit): void {
    const uuid = edit.where[0]?.value;
    if (typeof uuid !== "string") return;
    append(this.#edits, uuid, edit);
  }
}

/** What identifies an inserted row: its name, or the id of an ACL. */
function placeOf(table: string, row: Row): string {
  return `${table} ${String(table === "ACL" ? idOf(row) : row["name"])}`;
}

function idOf({ external_ids: externalIds }: Row): string | null {
  const id: unknown = externalIds instanceof Map ? externalIds.get(keys.id) : undefined;
  return typeof id === "string" ? id : null;
}

function namedAcls(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const operation of operations) {
    if (operation.op !== "insert" || operation.table !== "ACL" || operation.uuidName === undefined) continue;
    const id = idOf(operation.row);
    if (id !== null) named.set(operation.uuidName, id);
  }
  return named;
}

/**
 * Compares every column with its whole value: another client may have edited the row before the server sent it to us.
 */
function isAsSent(row: Row, { row: sent, named }: Insert, acls: ReadonlyMap<string, Uuid | null>): boolean {
  const uuidOf = (reference: string | Reference): string | null =>
    typeof reference === "string" ? reference : (acls.get(named.get(reference.named) ?? "") ?? null);
  const columns = Object.keys(row);
  if (columns.length !== Object.keys(sent).length) return false;
  for (const column of columns) {
    const [have, value] = [row[column], sent[column]];
    if (!Array.isArray(value)) {
      if (!sameValue(have, value)) return false;
    } else if (have instanceof StringSet) {
      if (!isJust(have, value as readonly string[])) return false;
    } else if (!holdsJust(have, (value as readonly (string | Reference)[]).map(uuidOf))) return false;
  }
  return true;
}

/** Strings are no references, and a list of thousands of them is mostly sent in order: it is compared as it is. */
function isJust(have: StringSet, elements: readonly string[]): boolean {
  return have.isExactly(elements) || have.isExactly(ascending(elements));
}

/** Whether a set column holds exactly these elements; null: a reference that cannot be compared. */
function holdsJust(have: unknown, elements: readonly (string | null)[]): boolean {
  const wanted: ReadonlySet<unknown> = new Set(elements);
  return have instanceof Set && have.size === wanted.size && wanted.isSubsetOf(have);
}

/** Whether just the columns that the edits name have changed, and just as they say. */
function isAsEdited(row: Row, columns: RowChange<Northbound>["columns"], edits: readonly Edit[]): boolean {
  for (const [column, elements] of columns) {
    const isAsSent =
      elements === null ? isValueOf(edits, column, row[column]) : areElementsOf(edits, column, elements);
    if (!isAsSent) return false;
  }
  return edits.every((edit) =>
    edit.op === "update"
      ? Object.keys(edit.row).every((column) => columns.has(column))
      : edit.mutations.every(({ column }) => columns.has(column)),
  );
}

/** Whether it is the value that every edit of the column sent. */
function isValueOf(edits: readonly Edit[], column: string, value: unknown): boolean {
  let isSent = false;
  for (const edit of edits) {
    if (edit.op === "mutate" || !(column in edit.row)) continue;
    if (!sameValue(edit.row[column], value)) return false;
    isSent = true;
  }
  return isSent;
}

/**
 * Whether they are the elements that were sent, all together. A reference to a row of the same transaction returns as a
 * uuid that is not known here yet: the two are never found equal.
 */
function areElementsOf(edits: readonly Edit[], column: string, elements: ReadonlySet<unknown>): boolean {
  const sent = new Set<unknown>();
  for (const edit of edits) {
    for (const mutation of edit.op === "mutate" ? edit.mutations : []) {
      if (mutation.column !== column || !Array.isArray(mutation.value)) continue;
      for (const element of mutation.value as readonly unknown[]) sent.add(element);
    }
  }
  return sent.size === elements.size && sent.isSubsetOf(elements);
}
