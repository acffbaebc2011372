// When a condition of ours that another client overwrote is written again: at once, then after pauses that double, so that
// two managers that disagree cost the API server next to nothing. Knows keys and times, and no conditions.

import type { Clock, Timer } from "../../lib/clock.ts";

interface Repair {
  timer: Timer | null;
  /** When the last one was made; null: none yet. */
  last: number | null;
  pauseMs: number;
}

/** The last is an hour: an object that is fought over stays wrong for so long at the most. */
const pauses = { first: 10_000, last: 3_600_000 };

export class Repairs<K> {
  readonly #clock: Clock;
  readonly #repair: (key: K) => boolean;
  readonly #entries = new Map<K, Repair>();
  #stopped = false;

  /** `repair` looks again and returns whether there was something to do. */
  constructor(clock: Clock, repair: (key: K) => boolean) {
    this.#clock = clock;
    this.#repair = repair;
  }

  /** May be called at any rate. `notBefore`: until then what was seen may be out of date. */
  needed(key: K, notBefore: number): void {
    const entry = this.#entries.get(key) ?? { timer: null, last: null, pauseMs: pauses.first };
    this.#entries.set(key, entry);
    if (entry.timer !== null || this.#stopped) return;
    const allowed = entry.last === null ? 0 : entry.last + entry.pauseMs;
    const wait = Math.max(0, notBefore - this.#clock.now(), allowed - this.#clock.now());
    entry.timer = this.#clock.after(wait, () => {
      entry.timer = null;
      if (this.#repair(key)) this.#made(entry);
    });
  }

  forget(key: K): void {
    this.#entries.get(key)?.timer?.cancel();
    this.#entries.delete(key);
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.forget(key);
  }

  stop(): void {
    this.#stopped = true;
    this.clear();
  }

  /** What stood for much longer than the last pause is not fought over any more. */
  #made(entry: Repair): void {
    const now = this.#clock.now();
    if (entry.last !== null) {
      const isFought = now - entry.last < 4 * entry.pauseMs;
      entry.pauseMs = isFought ? Math.min(2 * entry.pauseMs, pauses.last) : pauses.first;
    }
    entry.last = now;
  }
}
