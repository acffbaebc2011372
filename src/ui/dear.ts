// Something that takes long to make, made when it is asked for and kept: while nothing has changed, and in any case for ten
// times as long as it took. Whoever gets it is told of which revision it is.

import type { Clock } from "../lib/clock.ts";

export interface Made<T> {
  readonly value: T;
  /** Of what it was made; another than the present one: it is not of now. */
  readonly revision: string;
}

const keptTimes = 10;

export class Dear<T> {
  readonly #clock: Pick<Clock, "now">;
  readonly #make: () => T;
  #made: (Made<T> & { readonly untilMs: number }) | null = null;

  constructor(clock: Pick<Clock, "now">, make: () => T) {
    this.#clock = clock;
    this.#make = make;
  }

  /** Throws what making it throws; then nothing is kept. */
  of(revision: string): Made<T> {
    const now = this.#clock.now();
    if (this.#made !== null && (this.#made.revision === revision || now < this.#made.untilMs))
      return this.#made;
    const value = this.#make();
    const ended = this.#clock.now();
    this.#made = { value, revision, untilMs: ended + (ended - now) * keptTimes };
    return this.#made;
  }
}
