// Answers one after the other, with a pause behind each that is as many times longer than the answer took as one says: however
// many ask, the rest of the program keeps its share of the time. Requests whose client has left are skipped; the newest wait
// longest, and more than a few are not kept.

import type { Clock, Timer } from "../lib/clock.ts";

interface Turn {
  readonly isWanted: () => boolean;
  readonly work: () => void;
}

/** As many as connections can wait at once. */
const mostWaiting = 64;

export class Throttle {
  readonly #clock: Clock;
  readonly #rest: number;
  #waiting: Turn[] = [];
  #timer: Timer | null = null;
  #isStopped = false;

  /** `rest`: 9 leaves nine tenths of the time to others. */
  constructor(clock: Clock, rest: number) {
    this.#clock = clock;
    this.#rest = rest;
  }

  /** Does the work in its turn; rejects with what it throws. Never settles when it is not wanted by then. */
  take<T>(isWanted: () => boolean, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped || this.#waiting.length >= mostWaiting) return;
      const settle = (): void => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#waiting.push({ isWanted, work: settle });
      if (this.#timer === null) this.#next(0);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting = [];
    this.#timer?.cancel();
  }

  #next(ms: number): void {
    this.#timer = this.#clock.after(ms, () => {
      this.#timer = null;
      const turn = this.#waiting.shift();
      if (turn === undefined) return;
      const started = this.#clock.now();
      if (turn.isWanted()) turn.work();
      this.#next((this.#clock.now() - started) * this.#rest);
    });
  }
}
