// Values by key, each with the number of its holders.

import { invariant } from "./invariant.ts";

/** What a change of holders did. */
export interface TallyChange<K, V> {
  /** Keys that had no holder, or that have another value now. */
  readonly added: ReadonlyMap<K, V>;
  /** Keys that no longer have a holder. */
  readonly removed: ReadonlySet<K>;
}

/** A tally and what a change of holders made of the one before. */
export interface ChangedTally<K, V> {
  readonly tally: Tally<K, V>;
  readonly change: TallyChange<K, V>;
}

/** Never changes: a change of holders gives another one. */
export class Tally<K, V> {
  readonly #values: ReadonlyMap<K, V>;
  readonly #holders: ReadonlyMap<K, number>;

  constructor(values: ReadonlyMap<K, V> = new Map(), holders: ReadonlyMap<K, number> = new Map()) {
    this.#values = values;
    this.#holders = holders;
  }

  /** The keys that have a holder, with their values. */
  get values(): ReadonlyMap<K, V> {
    return this.#values;
  }

  /**
   * `removed`: keys that one holder less has; `added`: keys that one holder more has, with the value where they had no holder. The
   * same tally where there are none of either.
   */
  changed(removed: readonly K[], added: readonly (readonly [K, V])[]): ChangedTally<K, V> {
    if (removed.length === 0 && added.length === 0)
      return { tally: this, change: { added: new Map(), removed: new Set() } };
    const [values, holders] = [new Map(this.#values), new Map(this.#holders)];
    const [left, arrived] = [new Set<K>(), new Map<K, V>()];
    for (const key of removed) {
      const count = holders.get(key);
      invariant(count !== undefined, "a key is released that has no holder");
      if (count > 1) holders.set(key, count - 1);
      else {
        holders.delete(key);
        values.delete(key);
        left.add(key);
      }
    }
    for (const [key, value] of added) {
      const count = holders.get(key) ?? 0;
      holders.set(key, count + 1);
      if (count > 0) continue;
      values.set(key, value);
      left.delete(key);
      arrived.set(key, value);
    }
    return { tally: new Tally(values, holders), change: { added: arrived, removed: left } };
  }
}
