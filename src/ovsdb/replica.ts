// The cache and the point in the server's history it stands at. The monitor's reply and every update after it are absorbed
// in the server's order: read, a large one in slices, and then applied whole. What listeners are told is what really
// changed, on reconnects too.

import type { Clock } from "../lib/clock.ts";
import { Pace } from "../lib/pace.ts";
import type { UntypedCache, UntypedChange } from "./cache.ts";
import { Interner } from "./interner.ts";
import { type MonitorReply, noTransaction } from "./monitor.ts";
import type { TableCodec } from "./schema.ts";
import { rowUpdates, type RowUpdate } from "./updates.ts";

interface Update {
  /** <table-updates2>. */
  readonly updates: unknown;
  /** The last transaction it contains. */
  readonly last: string;
  /** They are every row, not what has changed. */
  readonly isDump: boolean;
}

/** What has come on one connection. */
interface ConnectionState {
  readonly tables: ReadonlyMap<string, TableCodec>;
  readonly failed: (error: unknown) => void;
  /** Not absorbed yet, in their order. */
  readonly waiting: Update[];
  /** The monitor's reply has come. */
  opened: boolean;
  /** Ends when nothing waits any more. */
  absorbing: Promise<unknown> | null;
}

export class Replica {
  readonly #cache: UntypedCache;
  readonly #clock: Clock;
  readonly #changed: (changes: readonly UntypedChange[]) => void;
  readonly #interner = new Interner();
  /** null: before the first connection, and after an update that could not be absorbed. */
  #connection: ConnectionState | null = null;
  #last = noTransaction;

  /** `changed` hears of every update that changed something, after the cache has it. */
  constructor(cache: UntypedCache, clock: Clock, changed: (changes: readonly UntypedChange[]) => void) {
    this.#cache = cache;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** The transaction to ask changes since. */
  get last(): string {
    return this.#last;
  }

  /** Settles when every update that has come is absorbed, or none will be any more; null: they all are. */
  get absorbing(): Promise<unknown> | null {
    return this.#connection?.absorbing ?? null;
  }

  /**
   * A monitor is about to be opened on a new connection, for these columns; what waits of an earlier one is forgotten.
   * `failed` is told of the first update that cannot be absorbed, with a ProtocolError; none is absorbed after it.
   */
  begin(tables: ReadonlyMap<string, TableCodec>, failed: (error: unknown) => void): void {
    this.#connection = { tables, failed, waiting: [], opened: false, absorbing: null };
  }

  /** Absorbs the monitor's reply and what came since. Rejects with ProtocolError when it cannot be. */
  async open({ updates, last, found }: MonitorReply): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    connection.waiting.unshift({ updates, last, isDump: !found });
    connection.opened = true;
    await this.#absorb(connection);
  }

  /** One update notification; `last` is its transaction when it names one. A small one is absorbed when this returns. */
  update(updates: unknown, last: string | null): void {
    const connection = this.#connection;
    if (connection === null) return;
    connection.waiting.push({ updates, last: last ?? noTransaction, isDump: false });
    if (connection.opened && connection.absorbing === null) this.#absorb(connection).catch(() => undefined);
  }

  /** Small ones are absorbed when this returns its promise. */
  async #absorb(connection: ConnectionState): Promise<void> {
    const absorbed = Promise.withResolvers<undefined>();
    connection.absorbing = absorbed.promise;
    try {
      await this.#absorbAll(connection);
    } catch (error) {
      if (connection !== this.#connection) return;
      // A cache that did not take an update stands nowhere: the next fill is a full one.
      this.#last = noTransaction;
      this.#connection = null;
      // Before anybody who waits goes on.
      connection.failed(error);
      throw error;
    } finally {
      absorbed.resolve(undefined);
    }
  }

  async #absorbAll(connection: ConnectionState): Promise<void> {
    const pace = new Pace(this.#clock);
    for (let next = connection.waiting.shift(); next !== undefined; next = connection.waiting.shift()) {
      const rows: RowUpdate[] = [];
      let isLarge = false;
      for (const row of rowUpdates(next.updates, connection.tables, this.#interner)) {
        rows.push(row);
        if (!pace.isDue) continue;
        isLarge = true;
        await pace.rest();
      }
      // To apply it cannot be interrupted, and takes as long as some slices.
      if (isLarge) await pace.rest();
      if (connection !== this.#connection) return;
      this.#commit(next, rows);
    }
    connection.absorbing = null;
  }

  #commit({ last, isDump }: Update, rows: readonly RowUpdate[]): void {
    const changes = isDump ? this.#cache.fill(rows) : this.#cache.apply(rows);
    this.#last = last;
    if (changes.length > 0) this.#changed(changes);
  }
}
