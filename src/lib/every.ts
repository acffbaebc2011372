// Does something again and again until it is ended: at equal distances, or with a pause after each time where it takes a while.

import type { Clock, Timer } from "./clock.ts";

/** The first time after `ms` milliseconds. What `task` throws ends it and goes to `fatal`: it is a bug of ours. */
export function every(clock: Clock, ms: number, task: () => void, fatal: (error: unknown) => void): Timer {
  let timer: Timer | null = null;
  const wait = (): void => {
    timer = clock.after(ms, () => {
      try {
        task();
      } catch (error) {
        fatal(error);
        return;
      }
      wait();
    });
  };
  wait();
  return {
    cancel: () => {
      timer?.cancel();
    },
  };
}

export interface RepeatingOptions {
  /** Rejects for a bug of ours alone. */
  readonly task: (signal: AbortSignal) => Promise<void>;
  readonly pauseMs: () => number;
  readonly clock: Clock;
  readonly fatal: (error: unknown) => void;
}

/** The next time begins a pause after the last one has ended. */
export class Repeating {
  readonly #options: RepeatingOptions;
  readonly #ending = new AbortController();
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RepeatingOptions) {
    this.#options = options;
  }

  /** Aborted by `stop`. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Settles when what is being done has ended. */
  get running(): Promise<void> {
    return this.#running;
  }

  /** The first time now. */
  start(): void {
    const { task, fatal } = this.#options;
    const { signal } = this.#ending;
    this.#running = task(signal).catch(fatal);
    void this.#running.then(() => {
      if (!signal.aborted) this.startAfterPause();
    });
  }

  startAfterPause(): void {
    const { clock, pauseMs } = this.#options;
    this.#timer = clock.after(pauseMs(), () => {
      this.start();
    });
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#timer?.cancel();
    await this.#running;
  }
}
