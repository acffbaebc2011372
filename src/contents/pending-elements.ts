// Where sets may differ from the desired ones: single elements of each, or all of it. Only says where to compare;
// marking never removes a place.

export type PendingElements<E> = Set<E> | "all";

/** Keyed by the set's key. */
export class PendingSets<K, E = string> {
  readonly #places = new Map<K, PendingElements<E>>();

  /** As they are: later marks show. */
  get places(): ReadonlyMap<K, ReadonlySet<E> | "all"> {
    return this.#places;
  }

  mark(key: K, elements: Iterable<E> | "all"): void {
    const known = this.#places.get(key);
    if (elements === "all") this.#places.set(key, "all");
    else if (known === undefined) this.#places.set(key, new Set(elements));
    else if (known !== "all") for (const element of elements) known.add(element);
  }

  clear(): void {
    this.#places.clear();
  }
}
