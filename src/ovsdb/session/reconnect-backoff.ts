// How long to wait before the next attempt to connect: not at all within a round of the remotes, and between rounds longer
// each time, until a connection has shown that the server is well.

import { Backoff } from "../../lib/backoff.ts";
import type { Settings } from "./options.ts";

/** The longest wait, in milliseconds, while a cluster elects its leader. */
const maxElectionPauseMs = 500;

export class ReconnectBackoff {
  readonly #settings: Pick<Settings, "remotes" | "retry" | "random">;
  readonly #backoff: Backoff;
  #failures = 0;

  constructor(settings: Pick<Settings, "remotes" | "retry" | "random">) {
    this.#settings = settings;
    this.#backoff = new Backoff({ ...settings.retry, random: settings.random });
  }

  /**
   * Milliseconds to wait after an attempt or connection that was ready for `readyMs`; `passedBy`: it ended because
   * another member leads the cluster.
   */
  pauseMs(readyMs: number, passedBy: boolean): number {
    const { remotes, retry } = this.#settings;
    // A server that fills the cache and fails at once has not recovered; one that handed its leadership over is well.
    if (readyMs > (passedBy ? 0 : retry.maxMs)) {
      this.#failures = 0;
      this.#backoff.reset();
    }
    // The other remotes of the list are tried without waiting.
    if (++this.#failures % remotes.length !== 0) return 0;
    const pauseMs = Math.round(this.#backoff.next());
    return passedBy ? Math.min(pauseMs, maxElectionPauseMs) : pauseMs;
  }
}
