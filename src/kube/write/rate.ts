// How many requests may be begun: some at once, then so many a second. Knows a clock and no requests. Invariant: in any time
// of t seconds no more than `atOnce + perSecond × t` are begun.

import type { Clock } from "../../lib/clock.ts";

export interface RateOptions {
  readonly perSecond: number;
  readonly atOnce: number;
}

export class Rate {
  readonly #clock: Pick<Clock, "now">;
  readonly #options: RateOptions;
  #left: number;
  #since: number;

  constructor(clock: Pick<Clock, "now">, options: RateOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#left = options.atOnce;
    this.#since = clock.now();
  }

  /** Begins a request and returns 0; or returns the milliseconds until one may begin. */
  begin(): number {
    const { perSecond, atOnce } = this.#options;
    const now = this.#clock.now();
    this.#left = Math.min(atOnce, this.#left + ((now - this.#since) * perSecond) / 1000);
    this.#since = now;
    if (this.#left < 1) return Math.ceil(((1 - this.#left) * 1000) / perSecond);
    this.#left--;
    return 0;
  }
}
