// The text of all metrics, rendered once for all clients that ask at about the same time. Invariant: rendering takes at
// most about a tenth of the event loop's time, however often and by however many clients it is asked for.

import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";

/** A text is reused while it is younger than this; longer when it took long to render. */
export const reuseMs = 100;
/** Renderings take at most one part of this many. */
const share = 10;

export class Exposition {
  readonly #registry: Registry;
  readonly #clock: Clock;
  #underWay: Promise<Buffer> | null = null;
  #last: { readonly text: Buffer; readonly freshUntil: number } | null = null;

  constructor(registry: Registry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The same bytes for all requests meanwhile. Rejects when a metric cannot be read, which is a bug. */
  text(): Promise<Buffer> {
    if (this.#underWay !== null) return this.#underWay;
    if (this.#last !== null && this.#clock.now() < this.#last.freshUntil) {
      return Promise.resolve(this.#last.text);
    }
    this.#underWay = this.#render().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #render(): Promise<Buffer> {
    const begun = this.#clock.now();
    const text = Buffer.from(await this.#registry.metrics());
    const ended = this.#clock.now();
    this.#last = { text, freshUntil: ended + Math.max(reuseMs, (share - 1) * (ended - begun)) };
    return text;
  }
}
