// How long to wait before the next try: doubles from `initialMs` to `maxMs`, and draws the upper half of each step at
// random so that many clients do not return together.

import type { Random } from "./clock.ts";

export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly random: Random;
}

export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Failures since the last reset. */
  get failures(): number {
    return this.#failures;
  }

  /** Counts one more failure and returns the milliseconds to wait. */
  next(): number {
    const { initialMs, maxMs, random } = this.#options;
    const step = Math.min(maxMs, initialMs * 2 ** Math.min(this.#failures, 30));
    this.#failures++;
    return step / 2 + (step / 2) * random();
  }

  reset(): void {
    this.#failures = 0;
  }
}
