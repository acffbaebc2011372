// The server behind the fake sessions: tables in memory and ovsdb-server's rules at commit (RFC 7047 sections 3.2 and
// 4.1.3): unique indexes, references, collection of rows nobody refers to. A transaction is done whole or not at all.
// Stricter than the server in one thing: a uuid-name that no insert has is refused, where the server may lose it.

import {
  type DatabaseDescription,
  type Operation,
  type OperationResult,
  toUuid,
  TransactionError,
  type Uuid,
} from "../../src/ovsdb/index.ts";
import type { Atom, Value } from "../../src/ovsdb/notation/notation.ts";
import { type Committed, Draft, type Edit, type FakeRow, type Table } from "./fake-draft.ts";
import { type ColumnRule, type FakeColumn, Refusal } from "./fake-values.ts";

/** What a schema says beside the types: which rows live by themselves, what is unique, what values are allowed. */
export interface FakeTable {
  readonly root: boolean;
  /** Lists of columns whose values together are unique. */
  readonly indexes?: readonly (readonly string[])[];
  readonly columns?: Readonly<Record<string, ColumnRule>>;
}
export type FakeSchema = Readonly<Record<string, FakeTable>>;

export interface Committal {
  readonly results: readonly OperationResult[];
  readonly edits: readonly Edit[];
}

export class FakeTables implements Committed {
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #homes = new Map<Uuid, Table>();
  // How many strong references each row has.
  readonly #strong = new Map<Uuid, number>();
  // By table, index and values: the row that has them.
  readonly #keys = new Map<string, Uuid>();

  constructor(description: DatabaseDescription, schema: FakeSchema) {
    this.#tables = new Map(
      Object.entries(description.tables).map(([name, types]) => {
        const { root, indexes = [], columns: rules = {} } = schema[name] ?? { root: true };
        const columns = Object.entries(types).map(([column, type]): [string, FakeColumn] => [
          column,
          { ...type, rule: rules[column] ?? {} },
        ]);
        return [name, { name, root, indexes, columns: new Map(columns), rows: new Map<Uuid, FakeRow>() }];
      }),
    );
  }

  table(name: string): Table {
    const table = this.#tables.get(name);
    if (table === undefined) throw new Refusal("syntax error", `No table named ${name}.`);
    return table;
  }

  homeOf(uuid: Uuid): Table | undefined {
    return this.#homes.get(uuid);
  }

  /** Does a transaction. Throws TransactionError, and has done nothing then. */
  transact(operations: readonly Operation[]): Committal {
    const draft = new Draft(this);
    for (const [at, operation] of operations.entries()) {
      refusing(at, () => {
        draft.declare(operation);
      });
    }
    const results = operations.map((operation, at) => refusing(at, () => draft.perform(operation)));
    return { results, edits: refusing(null, () => this.#commit(draft)) };
  }

  #commit(draft: Draft): readonly Edit[] {
    const counts = this.#countReferences(draft);
    this.#dropWeak(draft);
    const edits = draft.edits();
    this.#claimKeys(edits);
    for (const { table, uuid, after } of edits) {
      const home = this.table(table);
      if (after === null) {
        home.rows.delete(uuid);
        this.#homes.delete(uuid);
      } else {
        home.rows.set(uuid, after);
        this.#homes.set(uuid, home);
      }
    }
    for (const [uuid, count] of counts) this.#strong.set(uuid, count);
    return edits;
  }

  /** The strong references of every row concerned. Collects rows that have none, refuses those to rows not there. */
  #countReferences(draft: Draft): ReadonlyMap<Uuid, number> {
    const counts = new Map<Uuid, number>();
    const count = (uuid: Uuid) => counts.get(uuid) ?? this.#strong.get(uuid) ?? 0;
    const refer = (table: Table, row: FakeRow | null, step: 1 | -1) => {
      for (const target of strongReferences(table, row)) counts.set(target, count(target) + step);
    };
    for (const { table, before, after, uuid } of draft.edits()) {
      counts.set(uuid, count(uuid));
      refer(this.table(table), before, -1);
      refer(this.table(table), after, 1);
    }
    let orphans: readonly Uuid[];
    do {
      orphans = [...counts.keys()].filter(
        (uuid) => count(uuid) === 0 && draft.locate(uuid)?.table.root === false,
      );
      for (const uuid of orphans) {
        const orphan = draft.locate(uuid);
        if (orphan === null) continue;
        refer(orphan.table, orphan.row, -1);
        draft.put(orphan.table, uuid, null);
      }
    } while (orphans.length > 0);
    for (const [uuid, references] of counts) {
      if (references > 0 && draft.locate(uuid) === null) {
        throw new Refusal(
          "referential integrity violation",
          `${references} reference(s) to missing row ${uuid}`,
        );
      }
    }
    return counts;
  }

  #dropWeak(draft: Draft): void {
    // Without a deletion only rows of this transaction can refer to nothing.
    const edits = draft.edits();
    const gone = edits.some(({ after }) => after === null);
    for (const table of this.#tables.values()) {
      const weak = [...table.columns].filter(([, { rule }]) => rule.references?.strength === "weak");
      if (weak.length === 0) continue;
      const own = edits.filter((edit) => edit.table === table.name && edit.after !== null);
      for (const uuid of gone ? [...draft.rows(table)].map(([key]) => key) : own.map((edit) => edit.uuid)) {
        for (const [column] of weak) dropDangling(draft, table, uuid, column);
      }
    }
  }

  #claimKeys(edits: readonly Edit[]): void {
    const released = new Set<string>();
    const claimed = new Map<string, Uuid>();
    for (const { table, uuid, before, after } of edits) {
      for (const index of this.table(table).indexes) {
        if (before !== null) released.add(keyOf(table, index, before));
        const key = after === null ? null : keyOf(table, index, after);
        if (key === null) continue;
        if (claimed.has(key)) throw duplicate(key);
        claimed.set(key, uuid);
      }
    }
    for (const key of claimed.keys()) {
      if (this.#keys.has(key) && !released.has(key)) throw duplicate(key);
    }
    for (const key of released) this.#keys.delete(key);
    for (const [key, uuid] of claimed) this.#keys.set(key, uuid);
  }
}

function dropDangling(draft: Draft, table: Table, uuid: Uuid, column: string): void {
  const row = draft.locate(uuid)?.row;
  const dangling = atomsOf(row?.[column]).filter((target) => draft.locate(uuidOf(target)) === null);
  if (row === undefined || dangling.length === 0) return;
  const held = row[column];
  draft.put(table, uuid, {
    ...row,
    [column]: held instanceof Set ? held.difference(new Set(dangling)) : null,
  });
}

function strongReferences(table: Table, row: FakeRow | null): Uuid[] {
  if (row === null) return [];
  return [...table.columns]
    .filter(([, { rule }]) => rule.references?.strength === "strong")
    .flatMap(([column]) => atomsOf(row[column]).map(uuidOf));
}

function atomsOf(value: Value | undefined): Atom[] {
  if (value === undefined || value === null || value instanceof Map) return [];
  return value instanceof Set ? [...value] : [value as Atom];
}

function uuidOf(atom: Atom): Uuid {
  return toUuid(String(atom));
}

function keyOf(table: string, index: readonly string[], row: FakeRow): string {
  return JSON.stringify([table, index, index.map((column) => row[column])]);
}

function duplicate(key: string): Refusal {
  return new Refusal(
    "constraint violation",
    `Transaction causes multiple rows with identical values: ${key}`,
  );
}

function refusing<T>(operation: number | null, task: () => T): T {
  try {
    return task();
  } catch (error) {
    if (error instanceof Refusal) throw new TransactionError(error.kind, error.message, operation);
    throw error;
  }
}
