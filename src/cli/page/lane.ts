// Work that takes long, one piece after the other, with a pause behind each that is as many times longer than the piece took as
// one says. It bounds what is done in other threads, as Throttle bounds the answers of one.

import type { Clock, Timer } from "../../lib/clock.ts";

export class Lane {
  readonly #clock: Clock;
  readonly #rest: number;
  #last: Promise<unknown> = Promise.resolve();
  #pause: Timer | null = null;

  /** `rest`: 9 leaves nine tenths of the time to others; 0: the next piece begins at once. */
  constructor(clock: Clock, rest: number) {
    this.#clock = clock;
    this.#rest = rest;
  }

  /** Settles as the work does. The work begins when all that was given earlier has ended and the pause is over. */
  take<T>(work: () => Promise<T>): Promise<T> {
    let began = 0;
    const done = this.#last.then(() => {
      began = this.#clock.now();
      return work();
    });
    const rested = (): Promise<void> => this.#rested((this.#clock.now() - began) * this.#rest);
    this.#last = done.then(rested, rested);
    return done;
  }

  /** What waits never begins. */
  stop(): void {
    this.#pause?.cancel();
    this.#last = new Promise(() => undefined);
  }

  #rested(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#pause = this.#clock.after(ms, resolve);
    });
  }
}
