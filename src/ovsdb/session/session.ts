// The contract of a session: one database, kept in a local cache that only the server's updates change. The socket
// session and the strict in-memory fake of the tests pass one contract suite.

import type { Condition, Operation, OperationResult } from "../notation/operation.ts";
import type { DatabaseDescription, Row, TableName, Uuid } from "../notation/description.ts";

/**
 * Which rows and columns of a table to keep. The columns are those of the description unless named; a described column
 * that is not named is absent from the rows at run time.
 */
export interface TableMonitor<D extends DatabaseDescription, T extends TableName<D>> {
  readonly columns?: readonly (keyof D["tables"][T] & string)[];
  /** A row is kept when any of these holds; absent: every row. RFC 7047 4.1.5 with ovsdb-server(7) 4.1.12 monitor_cond. */
  readonly anyOf?: readonly Condition[];
  /** Declared indexes by name. */
  readonly indexes?: Readonly<Record<string, TableIndex<D, T>>>;
}

export interface TableIndex<D extends DatabaseDescription, T extends TableName<D>> {
  /** The columns that the key is made of: the index is updated only when one of them changes. */
  readonly columns: readonly (keyof D["tables"][T] & string)[];
  /** The key of a row, or its keys, each once; null to leave it out. */
  readonly keyOf: (row: Row<D, T>) => string | ReadonlySet<string> | null;
}

export type Monitors<D extends DatabaseDescription> = { readonly [T in TableName<D>]?: TableMonitor<D, T> };

/** One row's change as the server sent it. */
export interface RowChange<D extends DatabaseDescription, T extends TableName<D> = TableName<D>> {
  readonly table: T;
  readonly uuid: Uuid;
  /**
   * The row before the change; null: it is new to the cache. Set columns belong to the cache and are changed in place,
   * so that one element costs the same in a set of any size: `before` and `after` share them, and they hold the present
   * elements. `columns` says what they held before. Other columns of `before` keep their old values.
   */
  readonly before: Row<D, T> | null;
  /** null: the row was removed, or no longer meets the monitor's conditions. */
  readonly after: Row<D, T> | null;
  /**
   * Columns that differ. For a set column, the elements that were added or removed; null for other shapes and for rows
   * that were inserted or deleted whole.
   */
  readonly columns: ReadonlyMap<string, ReadonlySet<unknown> | null>;
}

export interface TableCache<D extends DatabaseDescription, T extends TableName<D>> {
  readonly size: number;
  get(uuid: Uuid): Row<D, T> | undefined;
  entries(): Iterable<readonly [Uuid, Row<D, T>]>;
  /** Rows whose key under a declared index is `key`, as of now. Throws RangeError when the index was not declared. */
  find(index: string, key: string): ReadonlySet<Uuid>;
  /** One of the rows that `find` gives, without a set of them. */
  findOne(index: string, key: string): Uuid | undefined;
}

export interface Cache<D extends DatabaseDescription> {
  /** Throws RangeError when the table is not monitored. */
  table<T extends TableName<D>>(name: T): TableCache<D, T>;
}

export interface SessionListener<D extends DatabaseDescription> {
  /**
   * The cache holds the present database; on a reconnect too. Changes since the last fill were passed to `changed`
   * before.
   */
  ready?(): void;
  /**
   * The connection has ended; `reason` is one sentence. The cache keeps its rows. Called once when a ready session loses
   * its connection, and once more when a server's schema does not fit; not called when the session is closed.
   */
  lost?(reason: string): void;
  /** We got the lock of the options, or it was taken from us; read `lockedAt`. */
  lock?(): void;
  /** One server update, applied whole, in the server's order. */
  changed?(changes: readonly RowChange<D>[]): void;
}

export interface Session<D extends DatabaseDescription> {
  /** True while connected with a filled cache. */
  readonly ready: boolean;
  readonly cache: Cache<D>;
  /** Returns the function that ends the subscription. Past events are not repeated: read `ready` and `cache`. */
  subscribe(listener: SessionListener<D>): () => void;
  /**
   * Sends one transaction, RFC 7047 section 4.1.3. Resolves after the cache has applied its result. Rejects with
   * TransactionError when the server refused it, with ConnectionLostError when no response arrived: then the outcome is
   * unknown, unless its message is `not connected`: then nothing was sent. TypeError: a value that OVSDB cannot
   * represent.
   */
  transact(operations: readonly Operation[]): Promise<readonly OperationResult[]>;
  close(): Promise<void>;
}
