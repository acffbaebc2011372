// A key to a set of values. Every add has exactly one remove under the same key; an imbalance throws where it happens.

import { invariant } from "./invariant.ts";

export class Multimap<K, V> {
  readonly #sets = new Map<K, Set<V>>();

  /** The number of keys that hold at least one value. */
  get size(): number {
    return this.#sets.size;
  }

  /** The values of `key`; a shared empty set when there are none. */
  get(key: K): ReadonlySet<V> {
    return this.#sets.get(key) ?? emptySet;
  }

  has(key: K, value: V): boolean {
    return this.#sets.get(key)?.has(value) ?? false;
  }

  /** Returns true when the key was empty before. */
  add(key: K, value: V): boolean {
    const set = this.#sets.get(key);
    if (set === undefined) {
      this.#sets.set(key, new Set([value]));
      return true;
    }
    invariant(!set.has(value), "added twice to a multimap");
    set.add(value);
    return false;
  }

  /** Returns true when the key is empty now. */
  remove(key: K, value: V): boolean {
    const set = this.#sets.get(key);
    invariant(set?.delete(value) === true, "removed from a multimap without an add");
    if (set.size > 0) return false;
    this.#sets.delete(key);
    return true;
  }

  keys(): IterableIterator<K> {
    return this.#sets.keys();
  }
}

const emptySet: ReadonlySet<never> = new Set<never>();
