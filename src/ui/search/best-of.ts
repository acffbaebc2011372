// The first so many of many in an order, and how many there are: what is not among the first is neither kept nor sorted.

import type { Excerpt } from "../excerpt.ts";

export class BestOf<T> {
  readonly #most: number;
  readonly #compare: (a: T, b: T) => number;
  /** In the order. */
  readonly #best: T[] = [];
  #total = 0;

  /** `compare`: negative: `a` is first. */
  constructor(most: number, compare: (a: T, b: T) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  /** Of equal ones the first that is added is first. */
  add(one: T): void {
    this.#total++;
    const last = this.#best[this.#most - 1];
    if (this.#most === 0 || (last !== undefined && this.#compare(one, last) >= 0)) return;
    this.#best.splice(this.#placeOf(one), 0, one);
    if (this.#best.length > this.#most) this.#best.pop();
  }

  get found(): Excerpt<T> {
    return { total: this.#total, shown: this.#best };
  }

  /** Behind those that are not after it. */
  #placeOf(one: T): number {
    let [low, high] = [0, this.#best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#best[middle];
      if (other !== undefined && this.#compare(one, other) < 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
