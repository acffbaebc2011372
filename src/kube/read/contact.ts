// When the API server last answered for one resource, and when what is known of the resource was last current. Both follow from a
// complete list, an event of a watch, and the answer 200 to a probe (a list of one object) while a watch is open; a page of a
// list is an answer. A cluster in which nothing happens is no outage, so a resource without another sign is probed. 429 and 5xx
// are no answers, since nothing was read. A probe without a watch proves that the server is there, not that its changes arrive.
// Does not decide what to do without contact.

import type { Clock } from "../../lib/clock.ts";
import { pause } from "../../lib/deadline.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOf } from "../transport/failure.ts";

export interface ContactOptions {
  readonly api: KubeApi;
  /** Of the resource, as it is served now. */
  readonly path: () => string;
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
  #currentMs = -Infinity;
  #probedMs: number;
  /** Counts the watches that were opened. */
  #watches = 0;
  #isWatched = false;
  /** Ends the wait before the next probe. */
  #waking = new AbortController();

  constructor(options: ContactOptions) {
    this.#options = options;
    this.#lastMs = options.clock.now();
    this.#probedMs = this.#lastMs;
  }

  /** By the clock; before the first sign, when the program began to wait for one. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** When what is known was last current; -Infinity: it never was. */
  get currentMs(): number {
    return this.#currentMs;
  }

  /** The server has answered with a part of what there is. */
  answered(): void {
    this.#lastMs = this.#options.clock.now();
  }

  /** What is known is current. */
  met(): void {
    this.answered();
    this.#currentMs = this.#lastMs;
  }

  /** A watch was accepted. Whether it has delivered all earlier changes is not known yet: a probe follows if one is due. */
  opened(): void {
    this.#watches++;
    this.#isWatched = true;
    this.#probedMs = -Infinity;
    this.#waking.abort();
  }

  /** The watch has ended. */
  ended(): void {
    this.#isWatched = false;
  }

  /** Resolves when the signal is aborted. */
  async watch(): Promise<void> {
    const { clock, probeMs, signal } = this.#options;
    for (;;) {
      const dueMs = Math.max(this.#probedMs, this.#lastMs) + probeMs;
      await pause(clock, Math.max(0, dueMs - clock.now()), AbortSignal.any([signal, this.#waking.signal]));
      if (signal.aborted) return;
      this.#waking = new AbortController();
      if (clock.now() - this.#lastMs < probeMs) continue;
      this.#probedMs = clock.now();
      const watches = this.#watches;
      if (!(await this.#probe())) continue;
      if (this.#isWatched && this.#watches === watches) this.met();
      this.#options.regained();
    }
  }

  async #probe(): Promise<boolean> {
    const { api, path, signal } = this.#options;
    try {
      const { status } = await api.request({ method: "GET", path: path(), query: { limit: "1" }, signal });
      return status === 200;
    } catch (error) {
      if (signal.aborted || failureOf(error) !== null) return false;
      throw error;
    }
  }
}
