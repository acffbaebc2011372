// Deletions of objects whose kind a CRD defines, until they are believed. Who deletes a CRD deletes its objects with it,
// and the server reports those deletions first: they are no decision about any policy. So a deletion counts when the kind
// stays (definitions.ts); otherwise the objects are held until the kind is listed again.
// Invariant: an object that is seen again was never removed.

import type { Clock, Timer } from "../../lib/clock.ts";
import type { ObjectKey, ObjectKind } from "../../model/object.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOf } from "../transport/failure.ts";
import { isDefinedForGood, isServedForGood } from "./definitions.ts";

export interface UnconfirmedDeletionsOptions {
  readonly api: KubeApi;
  readonly kind: ObjectKind;
  readonly clock: Clock;
  /** Between a deletion and the question to discovery, which learns a little late that a CRD is deleted. */
  readonly waitMs: number;
  /** The kind is not watched: it is known to be removed, and a list reads its objects when it is back. */
  readonly isMissing: () => boolean;
  /** The object was removed. */
  readonly believed: (key: ObjectKey) => void;
  /** Called for our own bugs: the program must end. */
  readonly fatal: (error: unknown) => void;
}

/** Before a question that was not answered, or not as hoped, is asked again. */
const retryMs = 1_000;

export class UnconfirmedDeletions {
  readonly #options: UnconfirmedDeletionsOptions;
  readonly #keys = new Set<ObjectKey>();
  readonly #stopping = new AbortController();
  #timer: Timer | null = null;
  #isAsking = false;
  #isHolding = false;
  /** The CRD did not say. */
  #asksDiscovery = false;

  constructor(options: UnconfirmedDeletionsOptions) {
    this.#options = options;
  }

  /** The kind is being deleted or was deleted, and its objects with it: these are kept. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  add(key: ObjectKey): void {
    this.#keys.add(key);
    this.#askAfter(this.#pauseMs);
  }

  get #pauseMs(): number {
    return this.#asksDiscovery ? this.#options.waitMs : 0;
  }

  /** The object is there. */
  cancel(key: ObjectKey): void {
    this.#keys.delete(key);
    if (this.#keys.size === 0) this.#isHolding = false;
  }

  stop(): void {
    this.#stopping.abort();
    this.#timer?.cancel();
  }

  #askAfter(ms: number): void {
    if (this.#timer !== null || this.#isAsking || this.#stopping.signal.aborted) return;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null;
      this.#isAsking = true;
      this.#ask()
        .finally(() => {
          this.#isAsking = false;
        })
        .then((again) => {
          if (again !== null) this.#askAfter(again);
        })
        .catch(this.#options.fatal);
    });
  }

  /** Returns in how many milliseconds to ask again; null: not before another deletion. */
  async #ask(): Promise<number | null> {
    const asked = [...this.#keys];
    if (asked.length === 0 || (this.#isHolding && this.#options.isMissing())) return null;
    try {
      const stays = await this.#stays();
      if (stays === null) return this.#pauseMs;
      this.#isHolding = !stays;
    } catch (error) {
      if (failureOf(error) === null) throw error;
      return retryMs;
    }
    if (this.#stopping.signal.aborted) return null;
    if (this.#isHolding) return retryMs; // a server in trouble may say what is not so
    for (const key of asked) if (this.#keys.delete(key)) this.#options.believed(key);
    return this.#keys.size > 0 ? this.#pauseMs : null;
  }

  /** Null: the CRD does not say, and discovery is to be asked a little later. */
  async #stays(): Promise<boolean | null> {
    const { api, kind } = this.#options;
    const question = this.#asksDiscovery ? isServedForGood : isDefinedForGood;
    const stays = await question(api, kind, this.#stopping.signal);
    this.#asksDiscovery = stays === null;
    return stays;
  }
}
