// Limits for waits. A promise that misses its deadline continues alone, and its later failure is ignored.

import type { Clock, Timer } from "../../lib/clock.ts";
import { pause } from "../../lib/deadline.ts";

/** The promise, unless it takes longer than `ms` or the signal is aborted: then it throws. */
export async function deadline<T>(
  clock: Clock,
  ms: number,
  promise: Promise<T>,
  what: string,
  signal: AbortSignal | null,
): Promise<T> {
  const over = new AbortController();
  const end = pause(clock, ms, signal === null ? over.signal : AbortSignal.any([signal, over.signal]));
  const late = end.then((): never => {
    throw new Error(signal?.aborted === true ? "aborted" : `${what} within ${ms} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}

/** Fires when the wait that was set last is over; at most one is running. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #bite: (reason: string) => void;
  #timer: Timer | null = null;

  constructor(clock: Clock, bite: (reason: string) => void) {
    this.#clock = clock;
    this.#bite = bite;
  }

  wait(ms: number, what: string): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(ms, () => {
      this.#bite(`${what} within ${ms} ms`);
    });
  }

  end(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
