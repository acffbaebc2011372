// What this commit has sent, until it comes back as changes: a change that is just what was sent needs no second look,
// however large it is. Whatever comes back otherwise, or changes again, is looked at like any other change.

import type { Operation } from "../../ovsdb/operation.ts";
import type { RowChange } from "../../ovsdb/session.ts";
import { ascending } from "../../lib/ascending.ts";
import { StringSet } from "../../ovsdb/string-set.ts";
import type { Uuid } from "../../ovsdb/description.ts";
import { sameValue } from "../rows/compare.ts";
import { keys } from "../rows/names.ts";
import type { Northbound, OwnedTable } from "../rows/schema.ts";
import type { Reference } from "./actual.ts";

type Row = Readonly<Record<string, unknown>>;

/** How one column of a row changes: these elements come or go, or it has this value. */
type Expected = { readonly elements: Set<unknown> } | { readonly value: unknown };

interface Insert {
  readonly row: Row;
  /** Ids of the ACLs that the same transaction inserts, by the names that it refers to them by. */
  readonly named: ReadonlyMap<string, string>;
}

export class InFlight {
  readonly #inserts = new Map<string, Insert>();
  readonly #edits = new Map<string, Map<string, Expected>>();
  /** Of ACLs that came as rows, by id; null: there was more than one of that id. */
  readonly #aclUuids = new Map<string, Uuid | null>();
  /** Names of Address_Sets that came back as inserted. */
  readonly #fresh = new Set<string>();

  /** They are about to be sent. The server tells of what they changed before it answers. */
  expect(operations: readonly Operation[]): void {
    const named = namedAcls(operations);
    for (const operation of operations) {
      if (operation.op === "insert")
        this.#inserts.set(placeOf(operation.table, operation.row), { row: operation.row, named });
      else if (operation.op === "update") {
        const columns = this.#editOf(operation.where);
        for (const [column, value] of Object.entries(operation.row)) columns?.set(column, { value });
      } else if (operation.op === "mutate") {
        const columns = this.#editOf(operation.where);
        for (const { column, value } of operation.mutations) expectElements(columns, column, value);
      }
    }
  }

  /**
   * Notes which uuids the server gave to the ACLs of one update. To be called before `hear` of any of its changes: a port
   * group comes in the update of the ACLs that were inserted with it, before them or after.
   */
  identify(changes: readonly RowChange<Northbound>[]): void {
    if (this.#inserts.size === 0) return;
    for (const { table, uuid, before, after } of changes) {
      if (table !== "ACL" || before !== null || after === null) continue;
      const id = idOf(after);
      if (id !== null) this.#aclUuids.set(id, this.#aclUuids.has(id) ? null : uuid);
    }
  }

  /** Whether the change is just what was sent; then it is not expected any more. */
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
    const edit = this.#edits.get(uuid);
    if (edit?.size !== columns.size) return false;
    for (const [column, expected] of edit) {
      if (!columns.has(column) || !isExpected(expected, row[column], columns.get(column))) return false;
    }
    this.#edits.delete(uuid);
    return true;
  }

  /** Whether the set is as it was rendered in this commit, but for what changed since. */
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

  /** The columns that are expected to change in the one row that the conditions name. */
  #editOf(where: readonly { readonly value: unknown }[]): Map<string, Expected> | null {
    const uuid = where[0]?.value;
    if (typeof uuid !== "string") return null;
    const known = this.#edits.get(uuid) ?? new Map<string, Expected>();
    this.#edits.set(uuid, known);
    return known;
  }
}

/** References to rows of the same transaction come back as uuids that nobody knows yet: they are never found equal. */
function expectElements(columns: Map<string, Expected> | null, column: string, value: unknown): void {
  const known = columns?.get(column);
  const elements = known !== undefined && "elements" in known ? known.elements : new Set<unknown>();
  if (Array.isArray(value)) for (const element of value as readonly unknown[]) elements.add(element);
  columns?.set(column, { elements });
}

/** What tells a row that is inserted from every other one: the name, or for an ACL the id. */
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

/** Every column, with all that it holds: before the server told of the row, someone else may have edited it. */
function isAsSent(row: Row, { row: sent, named }: Insert, acls: ReadonlyMap<string, Uuid | null>): boolean {
  const columns = Object.entries(row);
  const uuidOf = (reference: string | Reference): string | null =>
    typeof reference === "string" ? reference : (acls.get(named.get(reference.named) ?? "") ?? null);
  return (
    columns.length === Object.keys(sent).length &&
    columns.every(([column, have]) => {
      const value = sent[column];
      return Array.isArray(value)
        ? holdsJust(have, (value as readonly (string | Reference)[]).map(uuidOf))
        : sameValue(have, value);
    })
  );
}

/** Whether a set column holds these elements and no other; null: one that cannot be told. */
function holdsJust(have: unknown, elements: readonly (string | null)[]): boolean {
  const known = elements.filter((element) => element !== null);
  if (known.length < elements.length) return false;
  if (have instanceof StringSet) return have.isExactly(ascending(known));
  const wanted: ReadonlySet<unknown> = new Set(known);
  return have instanceof Set && have.size === wanted.size && wanted.isSubsetOf(have);
}

function isExpected(
  expected: Expected,
  value: unknown,
  elements: ReadonlySet<unknown> | null | undefined,
): boolean {
  if ("value" in expected) return sameValue(expected.value, value);
  return elements?.size === expected.elements.size && elements.isSubsetOf(expected.elements);
}
