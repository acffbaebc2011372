// The cache and the point in the server's history it stands at. While a monitor is being opened updates wait; then the
// reply and they are absorbed in the server's order. What listeners are told is what really changed, on reconnects too.

import type { UntypedCache, UntypedChange } from "./cache.ts";
import { Interner } from "./interner.ts";
import { type MonitorReply, noTransaction } from "./monitor.ts";
import type { TableCodec } from "./schema.ts";
import { parseUpdates, type RowUpdate } from "./updates.ts";

export class Replica {
  readonly #cache: UntypedCache;
  readonly #changed: (changes: readonly UntypedChange[]) => void;
  readonly #interner = new Interner();
  #tables: ReadonlyMap<string, TableCodec> = new Map();
  #last = noTransaction;
  // Updates that came before the monitor's reply was absorbed; null: they are applied as they come.
  #waiting: { readonly updates: unknown; readonly last: string | null }[] | null = [];

  /** `changed` hears of every update that changed something, after the cache has it. */
  constructor(cache: UntypedCache, changed: (changes: readonly UntypedChange[]) => void) {
    this.#cache = cache;
    this.#changed = changed;
  }

  /** The transaction to ask changes since. */
  get last(): string {
    return this.#last;
  }

  /** A monitor is about to be opened on a new connection, for these columns. */
  begin(tables: ReadonlyMap<string, TableCodec>): void {
    this.#tables = tables;
    this.#waiting = [];
  }

  /** Absorbs the monitor's reply and what came since. Throws ProtocolError when it contradicts the cache. */
  open(reply: MonitorReply): void {
    this.#commit(reply.last, () => {
      const updates = this.#parse(reply.updates);
      return reply.found ? this.#cache.apply(updates) : this.#cache.fill(updates);
    });
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const { updates, last } of waiting) this.update(updates, last);
  }

  /** One update notification; `last` is its transaction when it names one. Throws ProtocolError. */
  update(updates: unknown, last: string | null): void {
    if (this.#waiting !== null) {
      this.#waiting.push({ updates, last });
      return;
    }
    this.#commit(last ?? noTransaction, () => this.#cache.apply(this.#parse(updates)));
  }

  #parse(updates: unknown): RowUpdate[] {
    return parseUpdates(updates, this.#tables, this.#interner);
  }

  #commit(last: string, apply: () => UntypedChange[]): void {
    // A cache that did not take an update stands nowhere: the next fill is a full one.
    this.#last = noTransaction;
    const changes = apply();
    this.#last = last;
    if (changes.length > 0) this.#changed(changes);
  }
}
