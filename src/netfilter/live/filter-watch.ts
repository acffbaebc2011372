// Looks at a node's filter at the start, again and again, and soon again where it could not be read: often at what is cheap to read, and
// from time to time at everything.

import type { Clock, Timer } from "../../lib/clock.ts";
import type { FilterSight } from "./filter-sight.ts";

export interface FilterWatchOptions {
  readonly sight: Pick<FilterSight, "isClear" | "lookAgain" | "glance">;
  readonly clock: Clock;
  /** Milliseconds between two readings of everything. */
  readonly intervalMs: number;
  /** Milliseconds between two looks at what is cheap to read. */
  readonly glanceMs: number;
  /** Milliseconds until the next try, while the filter cannot be read. */
  readonly retryMs: number;
  /** For a bug of ours. */
  readonly fatal: (error: unknown) => void;
}

export class FilterWatch {
  readonly #options: FilterWatchOptions;
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** By the clock. */
  #readAt = -Infinity;

  constructor(options: FilterWatchOptions) {
    this.#options = options;
    this.#next();
  }

  /** Something has changed the filter: all of it is read now. */
  changed(): void {
    this.#readAt = -Infinity;
    this.#next();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #isOver(): boolean {
    return this.#isStopped;
  }

  #next(): void {
    this.#timer?.cancel();
    const { fatal } = this.#options;
    this.#running = this.#running.then(() => this.#look()).catch(fatal);
  }

  async #look(): Promise<void> {
    const { sight, clock, intervalMs, glanceMs, retryMs } = this.#options;
    if (this.#isOver()) return;
    if (!sight.isClear || clock.now() - this.#readAt >= intervalMs) {
      const begun = clock.now();
      this.#readAt = (await sight.lookAgain()) ? begun : -Infinity;
    } else await sight.glance();
    // It may have been stopped meanwhile.
    if (this.#isOver()) return;
    this.#timer?.cancel();
    this.#timer = clock.after(sight.isClear ? glanceMs : retryMs, () => {
      this.#next();
    });
  }
}
