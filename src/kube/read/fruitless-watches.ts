// Watches in a row that were accepted and delivered nothing. Many of them say that the version to resume from is in doubt.

import type { Timing } from "../transport/timing.ts";

/** So many, and the resource is listed again. */
const patience = 3;

export class FruitlessWatches {
  readonly #timing: Pick<Timing, "shortWatchMs" | "progressMs">;
  #count = 0;

  constructor(timing: Pick<Timing, "shortWatchMs" | "progressMs">) {
    this.#timing = timing;
  }

  get isAny(): boolean {
    return this.#count > 0;
  }

  get isTooMany(): boolean {
    return this.#count >= patience;
  }

  /** A watch was accepted. */
  opened(): void {
    this.#count++;
  }

  /** Something was delivered, or a list is due. */
  reset(): void {
    this.#count = 0;
  }

  /**
   * Whether a watch of so many milliseconds is no sign of trouble, whatever it delivered: nothing happened. One that ended
   * at once, or that was silent for longer than the interval of bookmarks, is a sign.
   */
  isQuiet(lastedMs: number): boolean {
    return lastedMs >= this.#timing.shortWatchMs && lastedMs < this.#timing.progressMs;
  }
}
