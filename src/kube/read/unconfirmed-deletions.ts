// Deletions of objects whose kind a CRD defines, until they are believed. Who deletes a CRD deletes its objects with it,
// and the server reports those deletions first: they are no decision about any policy. So a deletion counts when the kind
// stays (definitions.ts) where the deletion was reported; otherwise the objects are held until the kind is listed again.
// Invariant: an object that is seen again was never removed.

import type { Clock, Timer } from "../../lib/clock.ts";
import type { ObjectKey, ObjectKind } from "../../model/object.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOf } from "../transport/failure.ts";
import { isDefinedForGood, isServedForGood } from "./definitions.ts";
import type { ServedAs } from "./served-as.ts";

export interface UnconfirmedDeletionsOptions {
  readonly api: KubeApi;
  /** Where the kind's objects are read. */
  readonly served: Pick<ServedAs, "kind" | "others">;
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
  /** Where the deletions of `#keys` were reported. */
  #reported: ObjectKind | null = null;
  /** Of objects that another API group served. */
  readonly #held = new Set<ObjectKey>();
  /** Groups of the kind whose CRD was there: objects that another group serves may be kept in them. */
  readonly #defined = new Set<string>();
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

  /** How many objects are kept that another API group served. */
  get held(): number {
    return this.#held.size;
  }

  add(key: ObjectKey): void {
    if (this.#held.has(key)) return;
    this.#keys.add(key);
    this.#reported = this.#options.served.kind;
    this.#askAfter(this.#pauseMs);
  }

  get #pauseMs(): number {
    return this.#asksDiscovery ? this.#options.waitMs : 0;
  }

  /** The object is there. */
  cancel(key: ObjectKey): void {
    this.#held.delete(key);
    this.#forget(key);
  }

  /** The object was served under another API group and is not served now: it is kept until it is seen again. */
  hold(key: ObjectKey): void {
    this.#held.add(key);
    this.#forget(key);
  }

  #forget(key: ObjectKey): void {
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
    if (asked.length === 0) return null;
    // No request is made. A list that ends before the kind's next watch begins still finds the kind missing, so that nobody
    // else would ask again.
    if (this.#isHolding && this.#options.isMissing()) return retryMs;
    if (this.#isReadElsewhere()) return retryMs;
    try {
      const stays = await this.#stays();
      if (this.#isReadElsewhere()) return retryMs;
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

  /** The CRD of another group says nothing of these deletions: the list that is due there says which objects are held. */
  #isReadElsewhere(): boolean {
    return this.#reported !== this.#options.served.kind;
  }

  /** Null: the CRD does not say, and discovery is to be asked a little later. */
  async #stays(): Promise<boolean | null> {
    const { api, served } = this.#options;
    const { signal } = this.#stopping;
    if (this.#asksDiscovery) {
      this.#asksDiscovery = false;
      return isServedForGood(api, served.kind, signal);
    }
    const stays = await isDefinedForGood(api, served.kind, signal);
    if (stays !== null) return stays;
    for (const other of served.others) if (!(await this.#isKept(other))) return false;
    this.#asksDiscovery = true;
    return null;
  }

  /** Whether the CRD of another group, in which the objects may be kept, is there for good, or never was there. */
  async #isKept(other: ObjectKind): Promise<boolean> {
    const isDefined = await isDefinedForGood(this.#options.api, other, this.#stopping.signal);
    if (isDefined !== null) this.#defined.add(other.group);
    return isDefined ?? !this.#defined.has(other.group);
  }
}
