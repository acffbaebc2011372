// A set that counts its holders: a value is in it while at least one holder is left. A release without its hold throws.

import { invariant } from "./invariant.ts";

export class CountedSet<T> {
  readonly #counts = new Map<T, number>();

  get size(): number {
    return this.#counts.size;
  }

  has(value: T): boolean {
    return this.#counts.has(value);
  }

  /** How many holders the value has. */
  count(value: T): number {
    return this.#counts.get(value) ?? 0;
  }

  keys(): IterableIterator<T> {
    return this.#counts.keys();
  }

  /** Returns true when the value enters the set. */
  add(value: T): boolean {
    const count = this.#counts.get(value) ?? 0;
    this.#counts.set(value, count + 1);
    return count === 0;
  }

  /** Returns true when the value leaves the set. */
  remove(value: T): boolean {
    const count = this.#counts.get(value);
    invariant(count !== undefined, "removed from a counted set without an add");
    if (count > 1) {
      this.#counts.set(value, count - 1);
      return false;
    }
    this.#counts.delete(value);
    return true;
  }
}
