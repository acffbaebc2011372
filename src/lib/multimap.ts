// A key to a set of values. Every add has exactly one remove under the same key; an imbalance throws where it happens.
// Most keys of most maps have one value, which is held as it is: a Set for each took more memory than the map itself.

import { invariant } from "./invariant.ts";

/** Two values or more; a class of its own, because a value may be a Set. */
class Several<V> extends Set<V> {}

export class Multimap<K, V> {
  readonly #values = new Map<K, V | Several<V>>();

  /** The number of keys that hold at least one value. */
  get size(): number {
    return this.#values.size;
  }

  /** The values of `key` at present, for reading at once: whether a later change shows in them is not defined. */
  get(key: K): ReadonlySet<V> {
    const held = this.#values.get(key);
    if (held instanceof Several) return held;
    return held === undefined ? emptySet : new Set([held]);
  }

  /** As `get`, to go through them: makes no set of one value. */
  each(key: K): Iterable<V> {
    const held = this.#values.get(key);
    if (held instanceof Several) return held;
    return held === undefined ? emptySet : [held];
  }

  /** One value of `key`. */
  first(key: K): V | undefined {
    const held = this.#values.get(key);
    if (!(held instanceof Several)) return held;
    const [first] = held;
    return first;
  }

  has(key: K, value: V): boolean {
    const held = this.#values.get(key);
    return held instanceof Several ? held.has(value) : held !== undefined && held === value;
  }

  /** Returns true when the key was empty before. */
  add(key: K, value: V): boolean {
    const held = this.#values.get(key);
    if (held === undefined) {
      this.#values.set(key, value);
      return true;
    }
    invariant(!this.has(key, value), "added twice to a multimap");
    if (held instanceof Several) held.add(value);
    else this.#values.set(key, new Several([held, value]));
    return false;
  }

  /** Returns true when the key is empty now. */
  remove(key: K, value: V): boolean {
    invariant(this.has(key, value), "removed from a multimap without an add");
    const held = this.#values.get(key);
    if (!(held instanceof Several)) return this.#values.delete(key);
    held.delete(value);
    const [last] = held;
    if (held.size === 1 && last !== undefined) this.#values.set(key, last);
    return false;
  }

  keys(): IterableIterator<K> {
    return this.#values.keys();
  }
}

const emptySet: ReadonlySet<never> = new Set<never>();
