// A transaction of the fake in the making: the rows it has changed over the database's, and what each operation does to
// them (RFC 7047 section 5.2). Commit-time rules are the database's (fake-database.ts).

import { randomUUID } from "node:crypto";
import {
  type Condition,
  type Operation,
  type OperationResult,
  toUuid,
  type Uuid,
} from "../../src/ovsdb/index.ts";
import type { Value } from "../../src/ovsdb/notation/notation.ts";
import {
  checkValue,
  defaultOf,
  equalValues,
  type FakeColumn,
  checkMutator,
  matches,
  mutate,
  Refusal,
  type ResolveNamed,
} from "./fake-values.ts";

export type FakeRow = Readonly<Record<string, Value>>;

/** A row as it was and as it is; null where there was or is none. */
export interface Edit {
  readonly table: string;
  readonly uuid: Uuid;
  readonly before: FakeRow | null;
  readonly after: FakeRow | null;
}

export interface Table {
  readonly name: string;
  readonly root: boolean;
  readonly indexes: readonly (readonly string[])[];
  readonly columns: ReadonlyMap<string, FakeColumn>;
  readonly rows: Map<Uuid, FakeRow>;
}

/** The committed rows. */
export interface Committed {
  /** Throws Refusal when there is no such table. */
  table(name: string): Table;
  /** The table that has this row. */
  homeOf(uuid: Uuid): Table | undefined;
}

export class Draft {
  readonly #committed: Committed;
  readonly #changed = new Map<Uuid, { readonly table: Table; readonly row: FakeRow | null }>();
  readonly #named = new Map<string, Uuid>();

  constructor(committed: Committed) {
    this.#committed = committed;
  }

  /** Gives a named insert its uuid: names may be used before the insert that has them. Throws Refusal. */
  declare(operation: Operation): void {
    if (operation.op !== "insert" || operation.uuidName === undefined) return;
    const { uuidName, uuid } = operation;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(uuidName)) {
      throw new Refusal("syntax error", `${uuidName} is not a valid <id>`);
    }
    if (this.#named.has(uuidName)) throw new Refusal("duplicate uuid-name", uuidName);
    this.#named.set(uuidName, uuid ?? toUuid(randomUUID()));
  }

  readonly #resolve: ResolveNamed = (name) => {
    const uuid = this.#named.get(name);
    if (uuid === undefined) throw new Refusal("syntax error", `no insert has the uuid-name ${name}`);
    return uuid;
  };

  /** The row with this uuid and its table; null when there is none. */
  locate(uuid: Uuid): { readonly table: Table; readonly row: FakeRow } | null {
    const changed = this.#changed.get(uuid);
    const table = changed?.table ?? this.#committed.homeOf(uuid);
    const row = changed === undefined ? table?.rows.get(uuid) : changed.row;
    return table === undefined || row === undefined || row === null ? null : { table, row };
  }

  put(table: Table, uuid: Uuid, row: FakeRow | null): void {
    this.#changed.set(uuid, { table, row });
  }

  /** Every row of a table as the transaction has it. */
  *rows(table: Table): Iterable<readonly [Uuid, FakeRow]> {
    for (const [uuid, row] of table.rows) if (!this.#changed.has(uuid)) yield [uuid, row];
    for (const edit of this.edits()) {
      if (edit.table === table.name && edit.after !== null) yield [edit.uuid, edit.after];
    }
  }

  edits(): Edit[] {
    return Array.from(this.#changed, ([uuid, { table, row }]) => ({
      table: table.name,
      uuid,
      before: table.rows.get(uuid) ?? null,
      after: row,
    })).filter(({ before, after }) => before !== null || after !== null);
  }

  /** Throws Refusal. */
  perform(operation: Operation): OperationResult {
    switch (operation.op) {
      case "insert":
        return this.#insert(operation);
      case "comment":
        return {};
      case "abort":
        throw new Refusal("aborted", "aborted by request");
      default:
    }
    const table = this.#committed.table(operation.table);
    const found = this.#where(table, operation.where);
    switch (operation.op) {
      case "select":
        return { rows: select(table, found, operation.columns) };
      case "wait":
        this.#wait(table, found, operation);
        return {};
      case "update": {
        const changes = this.#row(table, operation.row);
        for (const [uuid, row] of found) this.put(table, uuid, { ...row, ...changes });
        break;
      }
      case "mutate":
        for (const { column, mutator } of operation.mutations) checkMutator(columnOf(table, column), mutator);
        for (const [uuid, row] of found) {
          const next: Record<string, Value> = { ...row };
          for (const mutation of operation.mutations) {
            const column = columnOf(table, mutation.column);
            next[mutation.column] = mutate(column, valueOf(next, mutation.column), mutation, this.#resolve);
          }
          this.put(table, uuid, next);
        }
        break;
      case "delete":
        for (const [uuid] of found) this.put(table, uuid, null);
        break;
    }
    return { count: found.length };
  }

  #insert(operation: Operation & { readonly op: "insert" }): OperationResult {
    const table = this.#committed.table(operation.table);
    const named = operation.uuidName === undefined ? undefined : this.#resolve(operation.uuidName);
    const uuid = named ?? operation.uuid ?? toUuid(randomUUID());
    if (this.locate(uuid) !== null) throw new Refusal("duplicate uuid", uuid);
    const defaults = Array.from(table.columns, ([name, column]) => [name, defaultOf(column)] as const);
    const row: FakeRow = { ...Object.fromEntries(defaults), ...this.#row(table, operation.row) };
    // What the server finds out by the default: a column with a fixed list of values has to be given one.
    for (const [name, column] of table.columns) {
      if (column.shape === "one") checkValue(column, row[name], this.#resolve);
    }
    this.put(table, uuid, row);
    return { uuid };
  }

  #where(table: Table, where: readonly Condition[]): (readonly [Uuid, FakeRow])[] {
    for (const { column } of where) columnOf(table, column);
    // The common case of one row must not cost a walk over all of them.
    const [only] = where;
    if (where.length === 1 && only?.column === "_uuid" && only.function === "==") {
      const wanted = checkValue(uuidColumn, only.value, this.#resolve);
      const uuid = toUuid(typeof wanted === "string" ? wanted : "");
      const found = this.locate(uuid);
      return found?.table === table ? [[uuid, found.row]] : [];
    }
    return [...this.rows(table)].filter(([uuid, row]) =>
      where.every((condition) => this.#holds(table, uuid, row, condition)),
    );
  }

  #holds(table: Table, uuid: Uuid, row: FakeRow, condition: Condition): boolean {
    return meets(table, uuid, row, condition, this.#resolve);
  }

  #row(table: Table, row: Readonly<Record<string, unknown>>): FakeRow {
    return Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        checkValue(columnOf(table, name), value, this.#resolve),
      ]),
    );
  }

  /** The fake does not wait: what does not hold now has timed out. */
  #wait(
    table: Table,
    found: readonly (readonly [Uuid, FakeRow])[],
    operation: Operation & { readonly op: "wait" },
  ): void {
    const expected = operation.rows.map((row) => this.#row(table, row));
    const same = ([uuid, row]: readonly [Uuid, FakeRow], other: FakeRow) =>
      operation.columns.every((name) =>
        equalValues(name === "_uuid" ? uuid : valueOf(row, name), valueOf(other, name)),
      );
    const equal =
      found.every((one) => expected.some((other) => same(one, other))) &&
      expected.every((other) => found.some((one) => same(one, other)));
    if (equal !== (operation.until === "==")) throw new Refusal("timed out", `"where" clause test failed`);
  }
}

export const uuidColumn: FakeColumn = { shape: "one", of: "uuid", rule: {} };

export function columnOf(table: Table, name: string): FakeColumn {
  const column = name === "_uuid" ? uuidColumn : table.columns.get(name);
  if (column === undefined) throw new Refusal("unknown column", `No column ${name} in table ${table.name}.`);
  return column;
}

export function meets(
  table: Table,
  uuid: Uuid,
  row: FakeRow,
  condition: Condition,
  named: ResolveNamed,
): boolean {
  const held = condition.column === "_uuid" ? uuid : valueOf(row, condition.column);
  return matches(columnOf(table, condition.column), held, condition, named);
}

function valueOf(row: FakeRow, column: string): Value {
  return row[column] ?? null;
}

/** As the server does: rows that are equal in the columns asked for come once. */
function select(
  table: Table,
  found: readonly (readonly [Uuid, FakeRow])[],
  columns: readonly string[] = ["_uuid", ...table.columns.keys()],
): Record<string, unknown>[] {
  const rows: Record<string, Value>[] = [];
  for (const [uuid, row] of found) {
    const picked: Record<string, Value> = {};
    for (const name of columns) {
      columnOf(table, name);
      picked[name] = name === "_uuid" ? uuid : valueOf(row, name);
    }
    const known = rows.some((other) =>
      columns.every((name) => equalValues(valueOf(other, name), valueOf(picked, name))),
    );
    if (!known) rows.push(picked);
  }
  return rows;
}
