// A strict in-memory stand-in for a database server and its sessions. Sessions answer in later turns of the event loop, as
// real ones do; their updates come before their replies; connections are cut and restored at will. Work is counted.

import {
  ConnectionLostError,
  type DatabaseDescription,
  type Cache,
  type Monitors,
  type Operation,
  type OperationResult,
  type RowChange,
  type Session,
  type SessionListener,
  type TransactionError,
} from "../../src/ovsdb/index.ts";
import { UntypedCache, type UntypedChange } from "../../src/ovsdb/replica/cache.ts";
import type { UntypedMonitor } from "../../src/ovsdb/session/handshake.ts";
import type { Value } from "../../src/ovsdb/notation/notation.ts";
import { diffRows, type RowUpdate } from "../../src/ovsdb/replica/updates.ts";
import { type FakeSchema, FakeTables } from "./fake-database.ts";
import { type Edit, type FakeRow, meets } from "./fake-draft.ts";
import { Refusal } from "./fake-values.ts";

export type { FakeSchema } from "./fake-database.ts";

/** The server. Every session opened on it is a client of its own. */
export class FakeDatabase<D extends DatabaseDescription> {
  readonly description: D;
  readonly #tables: FakeTables;
  readonly #sessions = new Set<FakeSession<D>>();
  #refusals: TransactionError[] = [];
  #transactions = 0;
  #operations = 0;

  constructor(description: D, schema: FakeSchema) {
    this.description = description;
    this.#tables = new FakeTables(description, schema);
  }

  /** Transactions asked for, refused ones too, and the operations in them. */
  get transactions(): number {
    return this.#transactions;
  }

  get operations(): number {
    return this.#operations;
  }

  open(monitors: Monitors<D>): FakeSession<D> {
    const session = new FakeSession<D>(this, monitors);
    this.#sessions.add(session);
    return session;
  }

  /** The next transaction of any client is refused with this. */
  refuseNext(error: TransactionError): void {
    this.#refusals.push(error);
  }

  /** Does a transaction at once, by no session: somebody edits by hand. Every session hears of it before this returns. */
  edit(operations: readonly Operation[]): readonly OperationResult[] {
    this.#transactions++;
    this.#operations += operations.length;
    const refusal = this.#refusals.shift();
    if (refusal !== undefined) throw refusal;
    const { results, edits } = this.#tables.transact(operations);
    for (const session of this.#sessions) session.deliver(edits);
    return results;
  }

  /** Every row of a table as the server has it. */
  rows(table: string): ReadonlyMap<string, FakeRow> {
    return this.#tables.table(table).rows;
  }

  /** What a monitor shows of some edits. For the sessions. */
  updates(monitors: ReadonlyMap<string, UntypedMonitor>, edits: readonly Edit[]): RowUpdate[] {
    return edits.flatMap(({ table, uuid, before, after }) => {
      const monitor = monitors.get(table);
      if (monitor === undefined) return [];
      const see = (row: FakeRow | null) => this.#view(table, uuid, row, monitor);
      return updateOf({ table, uuid }, see(before), see(after));
    });
  }

  /** Every row that a monitor shows. For the sessions. */
  dump(monitors: ReadonlyMap<string, UntypedMonitor>): RowUpdate[] {
    return [...monitors.keys()].flatMap((table) =>
      Array.from(this.#tables.table(table).rows, ([uuid, after]) => ({
        table,
        uuid,
        before: null,
        after,
      })).flatMap((edit) => this.updates(monitors, [edit])),
    );
  }

  forget(session: FakeSession<D>): void {
    this.#sessions.delete(session);
  }

  #view(table: string, uuid: Edit["uuid"], row: FakeRow | null, monitor: UntypedMonitor): FakeRow | null {
    if (row === null) return null;
    const shown = this.#tables.table(table);
    const isShown = monitor.anyOf?.some((condition) => meets(shown, uuid, row, condition, noNames)) ?? true;
    if (!isShown) return null;
    const columns = monitor.columns ?? [...shown.columns.keys()];
    return Object.fromEntries(columns.map((column) => [column, copy(row[column] ?? null)]));
  }
}

/** One client of a fake database; not ready until the first turn of the event loop. */
export class FakeSession<D extends DatabaseDescription> implements Session<D> {
  readonly cache: Cache<D>;
  /** Every transaction this client sent. */
  readonly sent: (readonly Operation[])[] = [];
  readonly #database: FakeDatabase<D>;
  readonly #monitors: ReadonlyMap<string, UntypedMonitor>;
  readonly #cache: UntypedCache;
  readonly #listeners = new Set<SessionListener<D>>();
  readonly #opened: Promise<void>;
  #ready = false;
  #closed = false;
  #silent = false;
  // Counts connections: a transaction of an earlier one gets no answer.
  #connection = 0;

  constructor(database: FakeDatabase<D>, monitors: Monitors<D>) {
    this.#database = database;
    this.#monitors = new Map(
      Object.entries(monitors as Readonly<Record<string, UntypedMonitor | undefined>>).flatMap(
        ([table, monitor]) => (monitor === undefined ? [] : [[table, monitor] as const]),
      ),
    );
    this.#cache = new UntypedCache(
      new Map(Array.from(this.#monitors, ([table, monitor]) => [table, monitor.indexes ?? {}])),
    );
    this.cache = this.#cache as unknown as Cache<D>;
    this.#opened = Promise.resolve().then(() => {
      this.restore();
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Operations this client sent. */
  get operationsSent(): number {
    return this.sent.reduce((sum, operations) => sum + operations.length, 0);
  }

  opened(): Promise<void> {
    return this.#opened;
  }

  subscribe(listener: SessionListener<D>): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async transact(operations: readonly Operation[]): Promise<readonly OperationResult[]> {
    if (!this.#ready) throw new ConnectionLostError("not connected");
    if (operations.length === 0) return [];
    this.sent.push(operations);
    const connection = this.#connection;
    await Promise.resolve();
    this.#expect(connection);
    if (this.#silent) {
      // As when the server commits and dies: no update and no answer, and only the next fill tells.
      this.#silent = false;
      this.cut("the connection was lost before the answer", () => this.#database.edit(operations));
      throw new ConnectionLostError("the connection was lost before the answer");
    }
    const results = this.#database.edit(operations);
    await Promise.resolve();
    this.#expect(connection);
    return results;
  }

  /** Loses the connection; `then` runs while it is lost. */
  cut(reason = "cut by the test", then?: () => void): void {
    const wasReady = this.#ready;
    this.#ready = false;
    this.#connection++;
    then?.();
    if (wasReady) this.#tell((listener) => listener.lost?.(reason));
  }

  /** Connects again: the cache is filled, what changed meanwhile is told, then `ready`. */
  restore(): void {
    if (this.#closed || this.#ready) return;
    this.#changed(this.#cache.fill(this.#database.dump(this.#monitors)));
    this.#ready = true;
    this.#tell((listener) => listener.ready?.());
  }

  /** The next transaction is committed, but the connection is lost before its update and its answer. */
  loseNextAnswer(): void {
    this.#silent = true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#ready = false;
    this.#connection++;
    this.#database.forget(this);
  }

  /** What the server tells of a commit. */
  deliver(edits: readonly Edit[]): void {
    if (this.#ready) this.#changed(this.#cache.apply(this.#database.updates(this.#monitors, edits)));
  }

  #expect(connection: number): void {
    if (connection !== this.#connection)
      throw new ConnectionLostError("the connection was lost before the answer");
  }

  #changed(changes: readonly UntypedChange[]): void {
    if (changes.length === 0) return;
    const typed = changes as unknown as readonly RowChange<D>[];
    this.#tell((listener) => listener.changed?.(typed));
  }

  #tell(call: (listener: SessionListener<D>) => void): void {
    for (const listener of [...this.#listeners]) call(listener);
  }
}

function updateOf(
  at: Pick<Edit, "table" | "uuid">,
  before: FakeRow | null,
  after: FakeRow | null,
): RowUpdate[] {
  if (after === null) return before === null ? [] : [{ kind: "delete", ...at }];
  if (before === null) return [{ kind: "insert", ...at, row: after }];
  const diffs = diffRows(before, after);
  return diffs.size === 0 ? [] : [{ kind: "modify", ...at, diffs }];
}

/** A session's cache changes its sets in place; the server's stay as they are. */
function copy(value: Value): Value {
  return value instanceof Set ? new Set(value) : value;
}

function noNames(): never {
  throw new Refusal("syntax error", "a monitor names no row");
}
