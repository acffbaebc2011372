// The cache and its position in the server's history. The monitor's reply and every later update are applied in the
// server's order: parsed, a large one in slices, and then applied whole. Listeners get the actual changes, on
// reconnects too.

import type { Clock } from "../../lib/clock.ts";
import { Pace } from "../../lib/pace.ts";
import type { UntypedCache, UntypedChange } from "./cache.ts";
import { ProtocolError } from "../notation/errors.ts";
import { Interner } from "../notation/interner.ts";
import { type MonitorReply, noTransaction } from "./monitor.ts";
import type { TableCodec } from "../notation/schema.ts";
import { rowUpdates, type RowUpdate } from "./updates.ts";

/** The most bytes of updates that wait until those before them are applied. */
export const maxWaiting = 16 * 2 ** 20;

interface Update {
  /** <table-updates2>. */
  readonly updates: unknown;
  /** The last transaction that the update contains. */
  readonly last: string;
  /** Whether the updates are every row, rather than what has changed. */
  readonly isDump: boolean;
  /** Bytes of the message. */
  readonly length: number;
}

/** The state of one connection. */
interface ConnectionState {
  readonly tables: ReadonlyMap<string, TableCodec>;
  readonly failed: (error: unknown) => void;
  /** Updates that are not applied yet, in order. */
  readonly waiting: Update[];
  /** Bytes of the messages that contained them. */
  waitingLength: number;
  /** Whether the monitor's reply has arrived. */
  opened: boolean;
  /** Settles when no update waits any more. */
  absorbing: Promise<unknown> | null;
}

export class Replica {
  readonly #cache: UntypedCache;
  readonly #clock: Clock;
  readonly #changed: (changes: readonly UntypedChange[]) => void;
  readonly #interner = new Interner();
  /** null: before the first connection, and after an update that could not be applied. */
  #connection: ConnectionState | null = null;
  #last = noTransaction;

  /** Calls `changed` for every update that changed something, after the cache has applied it. */
  constructor(cache: UntypedCache, clock: Clock, changed: (changes: readonly UntypedChange[]) => void) {
    this.#cache = cache;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** The transaction from which to request changes. */
  get last(): string {
    return this.#last;
  }

  /** Settles when every update received so far is applied, or none will be any more; null: all are applied. */
  get absorbing(): Promise<unknown> | null {
    return this.#connection?.absorbing ?? null;
  }

  /** Settles when updates are accepted again; null: they are. */
  get crowded(): Promise<unknown> | null {
    return (this.#connection?.waitingLength ?? 0) > maxWaiting ? this.absorbing : null;
  }

  /** As Interner.sent: a row that the server sends back shares its long texts with what was sent. */
  sent(texts: Iterable<string>): () => void {
    return this.#interner.sent(texts);
  }

  /** Nothing that was read before holds: the next fill is a full one. */
  forget(): void {
    this.#last = noTransaction;
  }

  /**
   * Call before a monitor is opened on a new connection, for these columns; drops the waiting updates of an earlier
   * one. Calls `failed` with a ProtocolError for the first update that cannot be applied; none is applied after it.
   */
  begin(tables: ReadonlyMap<string, TableCodec>, failed: (error: unknown) => void): void {
    this.#connection = { tables, failed, waiting: [], waitingLength: 0, opened: false, absorbing: null };
  }

  /** Applies the monitor's reply and the updates since. Rejects with ProtocolError when it cannot be applied. */
  async open({ updates, last, found }: MonitorReply): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    connection.waiting.unshift({ updates, last, isDump: !found, length: 0 });
    connection.opened = true;
    await this.#absorb(connection);
  }

  /**
   * Handles one update notification; `last` is its transaction when it names one, `length` counts its bytes. A
   * small one is applied on return. Throws ProtocolError when too much arrives before the monitor's reply.
   */
  update(updates: unknown, last: string | null, length: number): void {
    const connection = this.#connection;
    if (connection === null) return;
    if (!connection.opened && connection.waitingLength > maxWaiting) {
      throw new ProtocolError("too many updates came before the monitor's reply");
    }
    connection.waiting.push({ updates, last: last ?? noTransaction, isDump: false, length });
    connection.waitingLength += length;
    if (connection.opened && connection.absorbing === null) this.#absorb(connection).catch(() => undefined);
  }

  /** Small updates are applied when this returns its promise. */
  async #absorb(connection: ConnectionState): Promise<void> {
    const absorbed = Promise.withResolvers<undefined>();
    connection.absorbing = absorbed.promise;
    try {
      await this.#absorbAll(connection);
    } catch (error) {
      if (connection !== this.#connection) return;
      // After a failed update the cache has no valid position: the next fill is a full one.
      this.#last = noTransaction;
      this.#connection = null;
      // Before any waiting caller continues.
      connection.failed(error);
      throw error;
    } finally {
      absorbed.resolve(undefined);
    }
  }

  async #absorbAll(connection: ConnectionState): Promise<void> {
    const pace = new Pace(this.#clock);
    for (let next = connection.waiting.shift(); next !== undefined; next = connection.waiting.shift()) {
      connection.waitingLength -= next.length;
      const rows: RowUpdate[] = [];
      let isLarge = false;
      for (const row of rowUpdates(next.updates, connection.tables, this.#interner)) {
        rows.push(row);
        if (!pace.isDue) continue;
        isLarge = true;
        await pace.rest();
      }
      // Applying cannot be interrupted and takes as long as some slices.
      if (isLarge) await pace.rest();
      if (connection !== this.#connection) return;
      this.#commit(next, rows);
      // Callers that wait for the update have as much work with its content; they do it in another turn.
      if (isLarge) await pace.rest();
    }
    connection.absorbing = null;
  }

  #commit({ last, isDump }: Update, rows: readonly RowUpdate[]): void {
    const changes = isDump ? this.#cache.fill(rows) : this.#cache.apply(rows);
    this.#last = last;
    if (changes.length > 0) this.#changed(changes);
  }
}
