// The longest time for which the event loop did not turn while something was measured. A timer looks every 10 ms, and only
// between `begin` and `end`: an instrument that runs all the time is measured with what it measures (Node's own monitor
// takes 31 ms of CPU a second at a resolution of 1 ms). A stall of s ms is told as s - 10 to s; a shorter one than 10 ms
// may not be seen.

import type { Clock, Timer } from "../../src/lib/clock.ts";

export const lookEveryMs = 10;

export class Stalls {
  readonly #clock: Clock;
  #timer: Timer | null = null;
  #looked = 0;
  #longest = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Forgets what was seen before. What holds the event loop up from now on counts, from this turn on. */
  begin(): void {
    this.#timer?.cancel();
    this.#longest = 0;
    this.#looked = this.#clock.now();
    this.#arm();
  }

  /** Milliseconds of the longest stall since `begin`; 0 before the first. Nothing is looked at any more. */
  end(): number {
    if (this.#timer === null) return this.#longest;
    this.#timer.cancel();
    this.#timer = null;
    this.#look();
    return this.#longest;
  }

  #arm(): void {
    this.#timer = this.#clock.after(lookEveryMs, () => {
      this.#look();
      this.#arm();
    });
  }

  #look(): void {
    const now = this.#clock.now();
    this.#longest = Math.max(this.#longest, now - this.#looked - lookEveryMs);
    this.#looked = now;
  }
}
