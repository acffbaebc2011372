// Values by key, each with the number of its holders.

import { invariant } from "./invariant.ts";

/** What a change of holders did. */
export interface TallyChange<K, V> {
  /** Keys that had no holder, or that have another value now. */
  readonly added: ReadonlyMap<K, V>;
  /** Keys that no longer have a holder. */
  readonly removed: ReadonlySet<K>;
}

export class Tally<K, V> {
  readonly #values = new Map<K, V>();
  readonly #holders = new Map<K, number>();

  /** The keys that have a holder; always the same object. */
  get values(): ReadonlyMap<K, V> {
    return this.#values;
  }

  /** `gone`: keys that one holder less has; `come`: keys that one holder more has, with the value where they had no holder. */
  change(gone: Iterable<K>, come: Iterable<readonly [K, V]>): TallyChange<K, V> {
    const left = new Set<K>();
    const arrived = new Map<K, V>();
    for (const key of gone) {
      const count = this.#holders.get(key);
      invariant(count !== undefined, "a key is let go that nobody holds");
      if (count > 1) this.#holders.set(key, count - 1);
      else {
        this.#holders.delete(key);
        this.#values.delete(key);
        left.add(key);
      }
    }
    for (const [key, value] of come) {
      const count = this.#holders.get(key) ?? 0;
      this.#holders.set(key, count + 1);
      if (count > 0) continue;
      this.#values.set(key, value);
      left.delete(key);
      arrived.set(key, value);
    }
    return { added: arrived, removed: left };
  }
}
