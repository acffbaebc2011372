// What this commit has sent, until it comes back as changes: a change that is just what was sent needs no second look,
// however large it is. Whatever comes back otherwise, or changes again, is looked at like any other change.

import type { Operation } from "../../ovsdb/operation.ts";
import type { RowChange } from "../../ovsdb/session.ts";
import { sameValue } from "../rows/compare.ts";
import { keys } from "../rows/names.ts";
import type { Northbound, OwnedTable } from "../rows/schema.ts";

type Row = Readonly<Record<string, unknown>>;

/** How one column of a row changes: these elements come or go, or it has this value. */
type Expected = { readonly elements: Set<unknown> } | { readonly value: unknown };

export class InFlight {
  readonly #inserts = new Map<string, Row>();
  readonly #edits = new Map<string, Map<string, Expected>>();
  /** Names of Address_Sets that came back as inserted. */
  readonly #fresh = new Set<string>();

  /** They are about to be sent. The server tells of what they changed before it answers. */
  expect(operations: readonly Operation[]): void {
    for (const operation of operations) {
      if (operation.op === "insert")
        this.#inserts.set(placeOf(operation.table, operation.row), operation.row);
      else if (operation.op === "update") {
        const columns = this.#editOf(operation.where);
        for (const [column, value] of Object.entries(operation.row)) columns?.set(column, { value });
      } else if (operation.op === "mutate") {
        const columns = this.#editOf(operation.where);
        for (const { column, value } of operation.mutations) expectElements(columns, column, value);
      }
    }
  }

  /** Whether the change is just what was sent; then it is not expected any more. */
  hear({ table, uuid, before, after, columns }: RowChange<Northbound, OwnedTable>): boolean {
    if (after === null) return false;
    const row: Row = after;
    if (before === null) {
      const place = placeOf(table, row);
      const sent = this.#inserts.get(place);
      if (sent === undefined || !isAsSent(row, sent)) return false;
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
function placeOf(table: string, { name, external_ids: externalIds }: Row): string {
  const id: unknown = table === "ACL" && externalIds instanceof Map ? externalIds.get(keys.id) : name;
  return `${table} ${String(id)}`;
}

/** Of sets only the size is compared. */
function isAsSent(row: Row, sent: Row): boolean {
  return Object.entries(sent).every(([column, value]) => {
    const have = row[column];
    if (!Array.isArray(value)) return sameValue(have, value);
    return typeof have === "object" && have !== null && "size" in have && have.size === value.length;
  });
}

function isExpected(
  expected: Expected,
  value: unknown,
  elements: ReadonlySet<unknown> | null | undefined,
): boolean {
  if ("value" in expected) return sameValue(expected.value, value);
  return elements?.size === expected.elements.size && elements.isSubsetOf(expected.elements);
}
