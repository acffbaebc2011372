// Work of other threads, one piece after the other, within a share of one processor: what was spent beyond a first amount is waited
// for before the next piece begins. It bounds what is done in other threads, as Throttle bounds the answers of one.

import type { Clock, Timer } from "../../lib/clock.ts";

export interface Budget {
  /** Of one processor, over a long time. */
  readonly share: number;
  /** How much may be spent at once, in milliseconds of processor time. */
  readonly burstMs: number;
}

/** Says how much processor time has been spent, in milliseconds. */
export type Spent = (ms: number) => void;

export class Lane {
  readonly #clock: Clock;
  readonly #budget: Budget | null;
  #last: Promise<unknown> = Promise.resolve();
  #pause: Timer | null = null;
  /** What was spent and is not paid back yet, as of a moment. */
  #debtMs = 0;
  #asOf = 0;

  /** `budget` null: the next piece begins at once. */
  constructor(clock: Clock, budget: Budget | null) {
    this.#clock = clock;
    this.#budget = budget;
  }

  /**
   * Settles as the work does. The work begins when all that was given earlier has ended and there is something left to spend. One that
   * says nothing of what it has spent has spent all the time that it took.
   */
  take<T>(work: (spent: Spent) => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      await this.#affordable();
      const began = this.#clock.now();
      const costs: number[] = [];
      try {
        return await work((ms) => {
          costs.push(ms);
        });
      } finally {
        this.#owe(costs.length === 0 ? this.#clock.now() - began : costs.reduce((sum, ms) => sum + ms));
      }
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** What waits never begins. */
  stop(): void {
    this.#pause?.cancel();
    this.#last = new Promise(() => undefined);
  }

  #owe(ms: number): void {
    this.#payBack();
    this.#debtMs += ms;
  }

  #payBack(): void {
    const now = this.#clock.now();
    this.#debtMs = Math.max(0, this.#debtMs - (now - this.#asOf) * (this.#budget?.share ?? 1));
    this.#asOf = now;
  }

  async #affordable(): Promise<void> {
    if (this.#budget === null) return;
    const { share, burstMs } = this.#budget;
    this.#payBack();
    const ms = (this.#debtMs - burstMs) / share;
    if (ms <= 0) return;
    await new Promise<void>((resolve) => {
      this.#pause = this.#clock.after(ms, resolve);
    });
  }
}
