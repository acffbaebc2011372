// Long work in slices: whoever has much to do lets the event loop turn now and then, so that the server's probes, scrapes of
// metrics and other connections are served meanwhile.

import type { Clock } from "./clock.ts";

/** Short beside the 200 ms that nobody should have to wait, since what comes next may take as long; long beside a turn. */
const sliceMs = 20;

export class Pace {
  readonly #clock: Clock;
  #begun: number;

  /** A slice begins. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begun = clock.now();
  }

  /** The slice has lasted long enough. */
  get isDue(): boolean {
    return this.#clock.now() - this.#begun >= sliceMs;
  }

  /** Lets the event loop turn once; then the next slice begins. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#begun = this.#clock.now();
  }
}
