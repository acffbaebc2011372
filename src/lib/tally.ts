// Values by key, each with the number of its holders. Never changes: a change makes another tally.

import { invariant } from "./invariant.ts";

export class Tally<K, V> {
  /** The same object after a change by which no key came or went. */
  readonly values: ReadonlyMap<K, V>;
  readonly #holders: ReadonlyMap<K, number>;

  constructor(values: ReadonlyMap<K, V> = new Map(), holders: ReadonlyMap<K, number> = new Map()) {
    this.values = values;
    this.#holders = holders;
  }

  /** `gone`: keys that one holder less has; `come`: keys that one holder more has, with the value where nobody else has it. */
  changed(gone: readonly K[], come: readonly (readonly [K, V])[]): Tally<K, V> {
    if (gone.length === 0 && come.length === 0) return this;
    const holders = new Map(this.#holders);
    let values: Map<K, V> | null = null;
    for (const key of gone) {
      const count = holders.get(key);
      invariant(count !== undefined, "a key is let go that nobody holds");
      if (count > 1) holders.set(key, count - 1);
      else {
        holders.delete(key);
        (values ??= new Map(this.values)).delete(key);
      }
    }
    for (const [key, value] of come) {
      const count = holders.get(key) ?? 0;
      holders.set(key, count + 1);
      if (count === 0) (values ??= new Map(this.values)).set(key, value);
    }
    return new Tally(values ?? this.values, holders);
  }
}
