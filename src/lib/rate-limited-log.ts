// What may happen often is reported seldom: once in a while for each key, with how many times it happened in between. Callers
// have few keys: none is ever forgotten.

import type { Clock } from "./clock.ts";

export class RateLimitedLog {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #last = new Map<string | number, { readonly at: number; skipped: number }>();

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** How many times nothing was reported since the last report; null: do not report this time either. */
  skipped(key: string | number): number | null {
    const now = this.#clock.now();
    const last = this.#last.get(key);
    if (last !== undefined && now - last.at < this.#ms) {
      last.skipped++;
      return null;
    }
    this.#last.set(key, { at: now, skipped: 0 });
    return last?.skipped ?? 0;
  }
}
