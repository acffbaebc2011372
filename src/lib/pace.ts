// Slices of long work: a long computation yields to the event loop regularly, so that the server's probes, scrapes
// of metrics and other connections are served meanwhile.

import type { Clock } from "./clock.ts";

/**
 * Short compared with 200 ms, the longest acceptable wait, since the next task may take as long; long compared with a
 * turn.
 */
const sliceMs = 20;

export class Pace {
  readonly #clock: Clock;
  #begun: number;
  #hasRested = false;

  /** Starts a slice. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begun = clock.now();
  }

  /** Whether the slice has lasted long enough. */
  get isDue(): boolean {
    return this.#clock.now() - this.#begun >= sliceMs;
  }

  /** Whether the event loop has turned meanwhile. */
  get hasRested(): boolean {
    return this.#hasRested;
  }

  /** Lets the event loop turn once; then the next slice begins. */
  async rest(): Promise<void> {
    this.#hasRested = true;
    await new Promise((resolve) => setImmediate(resolve));
    this.#begun = this.#clock.now();
  }
}
