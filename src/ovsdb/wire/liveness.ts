// Detects a dead peer. After an interval without a byte it sends a probe, after another one it gives the peer up. A
// timer that fires late means that this program slept, not the peer: then it sends the probe once more.

import type { Clock, Timer } from "../../lib/clock.ts";

export interface LivenessOptions {
  readonly clock: Clock;
  /** Sends something that the peer must answer. */
  ask(): void;
  gone(reason: string): void;
}

export class Liveness {
  readonly #options: LivenessOptions;
  #timer: Timer | null = null;
  #intervalMs = 0;
  #dueAt = 0;
  #heardAt = 0;
  #asked = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  /** Watches from now on with this interval; 0: stops watching. */
  watch(intervalMs: number): void {
    this.stop();
    this.#intervalMs = intervalMs;
    this.heard();
    if (intervalMs > 0) this.#arm(intervalMs);
  }

  /** Call when any byte arrives from the peer. */
  heard(): void {
    this.#heardAt = this.#options.clock.now();
    this.#asked = false;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #arm(ms: number): void {
    this.#dueAt = this.#options.clock.now() + ms;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#due();
    });
  }

  #due(): void {
    const now = this.#options.clock.now();
    const silence = now - this.#heardAt;
    const late = now - this.#dueAt > this.#intervalMs / 2;
    if (silence < this.#intervalMs) this.#arm(this.#intervalMs - silence);
    else if (!this.#asked || late) {
      this.#asked = true;
      this.#options.ask();
      this.#arm(this.#intervalMs);
    } else {
      this.stop();
      this.#options.gone(`nothing was heard for ${Math.round(silence)} ms`);
    }
  }
}
