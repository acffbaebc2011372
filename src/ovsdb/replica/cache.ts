// The local copy of the monitored rows with their declared indexes. One update is applied whole or, when it contradicts
// the cache, not at all. Only the server's updates change it, and the changes that it reports are exact.

import { Multimap } from "../../lib/multimap.ts";
import type { Uuid } from "../notation/description.ts";
import { ProtocolError } from "../notation/errors.ts";
import type { Atom, Value } from "../notation/notation.ts";
import { applyDiff, diffRows, type RowData, type RowUpdate } from "./updates.ts";

/** RowChange of session.ts before the description gives the rows their types. */
export interface UntypedChange {
  readonly table: string;
  readonly uuid: Uuid;
  readonly before: RowData | null;
  readonly after: RowData | null;
  readonly columns: ReadonlyMap<string, ReadonlySet<Atom> | null>;
}

/** TableIndex of session.ts before the description gives the rows their types. */
export interface IndexPlan {
  readonly columns: readonly string[];
  readonly keyOf: (row: RowData) => string | ReadonlySet<string> | null;
}

export class UntypedCache {
  readonly #tables: ReadonlyMap<string, TableStore>;

  /** The declared indexes of each monitored table. */
  constructor(tables: ReadonlyMap<string, Readonly<Record<string, IndexPlan>>>) {
    this.#tables = new Map(Array.from(tables, ([name, indexes]) => [name, new TableStore(name, indexes)]));
  }

  /** Throws RangeError for a table that is not monitored. */
  table(name: string): TableStore {
    const table = this.#tables.get(name);
    if (table === undefined) throw new RangeError(`table ${name} is not monitored`);
    return table;
  }

  /** Applies one update of the server. Throws ProtocolError, with nothing changed, when it contradicts the cache. */
  apply(updates: readonly RowUpdate[]): UntypedChange[] {
    for (const update of updates) this.table(update.table).check(update);
    // A row that meets its conditions for another reason than before is reported without any change.
    return updates
      .filter((update) => update.kind !== "modify" || update.diffs.size > 0)
      .map((update) => this.table(update.table).apply(update));
  }

  /** Becomes equal to a full dump and returns only the differences; the dump's rows then belong to the cache. */
  fill(dump: readonly RowUpdate[]): UntypedChange[] {
    const updates: RowUpdate[] = [];
    const gone = new Map(Array.from(this.#tables, ([name, table]) => [name, new Set(table.uuids())]));
    for (const update of dump) {
      if (update.kind !== "insert") throw new ProtocolError("a full dump holds a change");
      gone.get(update.table)?.delete(update.uuid);
      const held = this.table(update.table).get(update.uuid);
      if (held === undefined) updates.push(update);
      else {
        const diffs = diffRows(held, update.row);
        if (diffs.size > 0) updates.push({ kind: "modify", table: update.table, uuid: update.uuid, diffs });
      }
    }
    for (const [table, uuids] of gone) {
      for (const uuid of uuids) updates.push({ kind: "delete", table, uuid });
    }
    return this.apply(updates);
  }
}

/** One table; a TableCache of session.ts before the description gives the rows their types. */
export class TableStore {
  readonly #name: string;
  readonly #rows = new Map<Uuid, RowData>();
  readonly #indexes: ReadonlyMap<string, Index>;
  readonly #allIndexes: readonly Index[];
  // Shared by every row that is inserted or deleted whole.
  #everyColumn: ReadonlyMap<string, null> | null = null;

  constructor(name: string, indexes: Readonly<Record<string, IndexPlan>>) {
    this.#name = name;
    this.#indexes = new Map(
      Object.entries(indexes).map(([index, plan]) => [index, { ...plan, uuids: new Multimap() }]),
    );
    this.#allIndexes = [...this.#indexes.values()];
  }

  get size(): number {
    return this.#rows.size;
  }

  uuids(): Iterable<Uuid> {
    return this.#rows.keys();
  }

  get(uuid: Uuid): RowData | undefined {
    return this.#rows.get(uuid);
  }

  entries(): Iterable<readonly [Uuid, RowData]> {
    return this.#rows.entries();
  }

  /** Throws RangeError for an index that was not declared. */
  find(index: string, key: string): ReadonlySet<Uuid> {
    return this.#index(index).uuids.get(key);
  }

  /** Throws RangeError for an index that was not declared. */
  findOne(index: string, key: string): Uuid | undefined {
    return this.#index(index).uuids.first(key);
  }

  #index(name: string): Index {
    const declared = this.#indexes.get(name);
    if (declared === undefined) throw new RangeError(`table ${this.#name} has no index ${name}`);
    return declared;
  }

  check(update: RowUpdate): void {
    const held = this.#rows.has(update.uuid);
    if (held === (update.kind === "insert")) {
      const state = held ? "which it has" : "which it has not";
      throw new ProtocolError(
        `cache inconsistency: ${update.kind} of ${this.#name} ${update.uuid}, ${state}`,
      );
    }
  }

  apply(update: RowUpdate): UntypedChange {
    const { table, uuid } = update;
    const before = this.#rows.get(uuid) ?? null;
    const indexes = this.#indexesOf(update);
    // Before the change: a set that the key is made of may then change in place.
    if (before !== null) for (const index of indexes) unfile(index, uuid, before);
    const columns = new Map<string, ReadonlySet<Atom> | null>();
    const after = this.#after(update, before, columns);
    if (after === null) this.#rows.delete(uuid);
    else {
      this.#rows.set(uuid, after);
      for (const index of indexes) file(index, uuid, after);
    }
    if (update.kind === "modify") return { table, uuid, before, after, columns };
    return { table, uuid, before, after, columns: this.#every(after ?? before) };
  }

  #after(
    update: RowUpdate,
    before: RowData | null,
    columns: Map<string, ReadonlySet<Atom> | null>,
  ): RowData | null {
    if (update.kind === "insert") return update.row;
    if (update.kind === "delete") return null;
    const after: Record<string, Value> = { ...before };
    for (const [column, diff] of update.diffs) columns.set(column, applyDiff(after, column, diff));
    return after;
  }

  #every(row: RowData | null): ReadonlyMap<string, null> {
    this.#everyColumn ??= new Map(Object.keys(row ?? {}).map((column) => [column, null]));
    return this.#everyColumn;
  }

  /** The indexes in which the row may have another key after the update. */
  #indexesOf(update: RowUpdate): readonly Index[] {
    if (update.kind !== "modify") return this.#allIndexes;
    const { diffs } = update;
    return this.#allIndexes.filter(({ columns }) => columns.some((column) => diffs.has(column)));
  }
}

interface Index extends IndexPlan {
  readonly uuids: Multimap<string, Uuid>;
}

function file({ keyOf, uuids }: Index, uuid: Uuid, row: RowData): void {
  const key = keyOf(row);
  if (typeof key === "string") uuids.add(key, uuid);
  else if (key !== null) for (const one of key) uuids.add(one, uuid);
}

function unfile({ keyOf, uuids }: Index, uuid: Uuid, row: RowData): void {
  const key = keyOf(row);
  if (typeof key === "string") uuids.remove(key, uuid);
  else if (key !== null) for (const one of key) uuids.remove(one, uuid);
}
