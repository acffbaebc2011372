// What an API server is asked for again and again, one question at a time, because nobody needs it so soon that it would be watched.

import type { Clock, Timer } from "../../lib/clock.ts";

export interface LookedUpOptions {
  /** Rejects for a bug of ours alone. */
  readonly ask: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly fatal: (error: unknown) => void;
}

const lookMs = 10_000;

export class LookedUp {
  readonly #options: LookedUpOptions;
  readonly #ending = new AbortController();
  #timer: Timer | null = null;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: LookedUpOptions) {
    this.#options = options;
  }

  /** Ends when the question under way has been answered, or could not be. */
  get looked(): Promise<void> {
    return this.#looking;
  }

  start(): void {
    const { ask, clock, fatal } = this.#options;
    const { signal } = this.#ending;
    this.#looking = ask(signal).catch(fatal);
    void this.#looking.then(() => {
      if (signal.aborted) return;
      this.#timer = clock.after(lookMs, () => {
        this.start();
      });
    });
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#timer?.cancel();
    await this.#looking;
  }
}
