// When the API server last answered for one resource: with the answer 200 to a list, with an event of a watch, or with the
// answer 200 to a probe, which is a list of one object. A cluster in which nothing happens is no outage, so a resource without
// another sign is probed; 429 and 5xx are no sign, since nothing was read. Says nothing about what to do without contact.

import type { Clock } from "../../lib/clock.ts";
import { pause } from "../../lib/deadline.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOf } from "../transport/failure.ts";

export interface ContactOptions {
  readonly api: KubeApi;
  readonly path: string;
  readonly clock: Clock;
  /** Milliseconds without a sign before a probe, and between two of them. */
  readonly probeMs: number;
  readonly signal: AbortSignal;
  /** A probe was answered: what failed before may succeed now. */
  readonly regained: () => void;
}

export class Contact {
  readonly #options: ContactOptions;
  #lastMs: number;

  constructor(options: ContactOptions) {
    this.#options = options;
    this.#lastMs = options.clock.now();
  }

  /** By the clock; before the first sign, when the program began to wait for one. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** The server has answered. */
  met(): void {
    this.#lastMs = this.#options.clock.now();
  }

  /** Resolves when the signal is aborted. */
  async watch(): Promise<void> {
    const { clock, probeMs, signal } = this.#options;
    let probedMs = clock.now();
    for (;;) {
      const dueMs = Math.max(probedMs, this.#lastMs) + probeMs;
      await pause(clock, Math.max(0, dueMs - clock.now()), signal);
      if (signal.aborted) return;
      if (clock.now() - this.#lastMs < probeMs) continue;
      probedMs = clock.now();
      if (!(await this.#probe())) continue;
      this.met();
      this.#options.regained();
    }
  }

  async #probe(): Promise<boolean> {
    const { api, path, signal } = this.#options;
    try {
      const { status } = await api.request({ method: "GET", path, query: { limit: "1" }, signal });
      return status === 200;
    } catch (error) {
      if (signal.aborted || failureOf(error) !== null) return false;
      throw error;
    }
  }
}
