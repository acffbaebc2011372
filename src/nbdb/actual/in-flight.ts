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

type Row = Readonly<Record<string, unknown>>;

type EditOperation = Extract<Operation, { readonly op: "update" | "mutate" }>;

/** The places of ACLs and Samples that the same transaction inserts, by their `uuid-name`. */
interface InTransaction {
  readonly named: ReadonlyMap<string, string>;
}

type Edit = EditOperation & InTransaction;

interface Insert extends InTransaction {
  readonly row: Row;
}

/** The uuids that the server gave to named rows, by place; null: more than one row has the place. */
type Given = ReadonlyMap<string, Uuid | null>;

export class InFlight {
  readonly #inserts = new Map<string, Insert>();
  /** The edits of each row as they were sent, by its uuid: to prepare them for comparison would be work before sending. */
  readonly #edits = new Map<string, Edit[]>();
  readonly #given = new Map<string, Uuid | null>();
  /** Names of the Address_Sets that the server sent as inserted. */
  readonly #fresh = new Set<string>();

  /** Call before the operations are sent: the server sends the changes before its reply. */
  expect(operations: readonly Operation[]): void {
    const named = namedRows(operations);
    for (const operation of operations) {
      if (operation.op === "insert")
        this.#inserts.set(placeOf(operation.table, operation.row), { row: operation.row, named });
      else if (operation.op === "update" || operation.op === "mutate")
        this.#expectEdit({ ...operation, named });
    }
  }

  /**
   * Notes the uuids that the server gave to the ACLs and Samples of one update. Call it before `hear` of any change of that
   * update: it holds a port group, the ACLs inserted with it and their Samples, in any order.
   */
  identify(changes: readonly RowChange<Northbound>[]): void {
    if (this.#inserts.size === 0) return;
    for (const { table, uuid, before, after } of changes) {
      if (!isNamed(table) || before !== null || after === null) continue;
      const place = placeOf(table, after);
      this.#given.set(place, this.#given.has(place) ? null : uuid);
    }
  }

  /** Whether the change equals what was sent; if so, it is not expected any more. */
  hear({ table, uuid, before, after, columns }: RowChange<Northbound, OwnedTable>): boolean {
    if (after === null) return false;
    const row: Row = after;
    if (before === null) {
      const place = placeOf(table, row);
      const sent = this.#inserts.get(place);
      if (sent === undefined || !isAsSent(row, sent, this.#given)) return false;
      this.#inserts.delete(place);
      if (table === "Address_Set") this.#fresh.add(String(row["name"]));
      return true;
    }
    const edits = this.#edits.get(uuid);
    if (edits === undefined || !isAsEdited(row, columns, edits, this.#given)) return false;
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
    this.#given.clear();
    this.#fresh.clear();
  }

  /** The conditions of an edit name one row. */
  #expectEdit(edit: Edit): void {
    const uuid = edit.where[0]?.value;
    if (typeof uuid !== "string") return;
    append(this.#edits, uuid, edit);
  }
}

/** What identifies an inserted row: its name, the id of an ACL, the number of a Sample. */
function placeOf(table: string, row: Row): string {
  if (table === "ACL") return `${table} ${String(idOf(row))}`;
  return `${table} ${String(row[table === "Sample" ? "metadata" : "name"])}`;
}

function idOf({ external_ids: externalIds }: Row): string | null {
  const id: unknown = externalIds instanceof Map ? externalIds.get(keys.id) : undefined;
  return typeof id === "string" ? id : null;
}

/** Whether rows of the table are inserted under names. */
function isNamed(table: string): boolean {
  return table === "ACL" || table === "Sample";
}

function namedRows(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const operation of operations) {
    if (operation.op !== "insert" || !isNamed(operation.table) || operation.uuidName === undefined) continue;
    named.set(operation.uuidName, placeOf(operation.table, operation.row));
  }
  return named;
}

/**
 * Compares every column with its whole value: another client may have edited the row before the server sent it to us.
 */
function isAsSent(row: Row, { row: sent, named }: Insert, given: Given): boolean {
  const columns = Object.keys(row);
  if (columns.length !== Object.keys(sent).length) return false;
  for (const column of columns) {
    const [have, value] = [row[column], sent[column]];
    if (!Array.isArray(value)) {
      if (!sameValue(have, resolved(value, named, given))) return false;
    } else if (have instanceof StringSet) {
      if (!isJust(have, value as readonly string[])) return false;
    } else if (
      !holdsJust(
        have,
        (value as readonly unknown[]).map((one) => resolved(one, named, given)),
      )
    )
      return false;
  }
  return true;
}

/** A value as the server sends it: a reference to a row of the transaction as the row's uuid, null where that is not known. */
function resolved(value: unknown, named: InTransaction["named"], given: Given): unknown {
  if (typeof value !== "object" || value === null || !("named" in value)) return value;
  return given.get(named.get(String(value.named)) ?? "") ?? null;
}

/** Strings are no references, and a list of thousands of them is mostly sent in order: it is compared as it is. */
function isJust(have: StringSet, elements: readonly string[]): boolean {
  return have.isExactly(elements) || have.isExactly(ascending(elements));
}

/** Whether a set column holds exactly these elements; null: a reference that cannot be compared. */
function holdsJust(have: unknown, elements: readonly unknown[]): boolean {
  const wanted: ReadonlySet<unknown> = new Set(elements);
  return have instanceof Set && have.size === wanted.size && wanted.isSubsetOf(have);
}

/** Whether just the columns that the edits name have changed, and just as they say. */
function isAsEdited(
  row: Row,
  columns: RowChange<Northbound>["columns"],
  edits: readonly Edit[],
  given: Given,
): boolean {
  for (const [column, elements] of columns) {
    const isAsSent =
      elements === null
        ? isValueOf(edits, column, row[column], given)
        : areElementsOf(edits, column, elements);
    if (!isAsSent) return false;
  }
  return edits.every((edit) =>
    edit.op === "update"
      ? Object.keys(edit.row).every((column) => columns.has(column))
      : edit.mutations.every(({ column }) => columns.has(column)),
  );
}

/** Whether it is the value that every edit of the column sent. */
function isValueOf(edits: readonly Edit[], column: string, value: unknown, given: Given): boolean {
  let isSent = false;
  for (const edit of edits) {
    if (edit.op === "mutate" || !(column in edit.row)) continue;
    if (!sameValue(resolved(edit.row[column], edit.named, given), value)) return false;
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
