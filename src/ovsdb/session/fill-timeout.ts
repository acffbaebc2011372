// How long a server may take until the cache is filled. Another remote is worth trying soon; the only one, which may be at
// work on a large dump, is waited for longer. A dump that no remote had ready in time is given more time in each round, so
// that a database that is slow everywhere is reached in the end.

import type { Limit } from "../wire/pending-requests.ts";
import type { Settings } from "./options.ts";

export class FillTimeout {
  readonly #settings: Pick<Settings, "remotes" | "fillTimeoutMs" | "answerTimeoutMs">;
  /** Dumps that took too long since the cache was filled last. */
  #overdue = 0;

  constructor(settings: Pick<Settings, "remotes" | "fillTimeoutMs" | "answerTimeoutMs">) {
    this.#settings = settings;
  }

  /** For what a server answers at once: its status and its schema. */
  get request(): Limit {
    return { limitMs: this.#limitMs(0) };
  }

  get dump(): Limit {
    return {
      limitMs: this.#limitMs(Math.floor(this.#overdue / this.#settings.remotes.length)),
      overdue: () => {
        this.#overdue++;
      },
    };
  }

  /** The cache is filled. */
  filled(): void {
    this.#overdue = 0;
  }

  #limitMs(rounds: number): number {
    const { remotes, fillTimeoutMs, answerTimeoutMs } = this.#settings;
    if (remotes.length === 1 || answerTimeoutMs <= 0) return fillTimeoutMs;
    return Math.min(fillTimeoutMs, answerTimeoutMs * 2 ** Math.min(rounds, 10));
  }
}
