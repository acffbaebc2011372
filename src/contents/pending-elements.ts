// Where sets may differ from the desired ones: single elements of each, or all of it. Only says where to compare;
// marking never removes a place.

export type PendingElements<E> = Set<E> | "all";

const nowhere: ReadonlyMap<never, never> = new Map<never, never>();

/** Keyed by the set's key. */
export class PendingSets<K, E = string> {
  /** null: none was marked. Most of a pod's event mark one kind of places alone. */
  #places: Map<K, PendingElements<E>> | null = null;

  /** Those that are marked now. */
  get places(): ReadonlyMap<K, ReadonlySet<E> | "all"> {
    return this.#places ?? nowhere;
  }

  mark(key: K, elements: Iterable<E> | "all"): void {
    this.#places ??= new Map();
    const known = this.#places.get(key);
    if (elements === "all") this.#places.set(key, "all");
    else if (known === undefined) this.#places.set(key, new Set(elements));
    else if (known !== "all") for (const element of elements) known.add(element);
  }

  clear(): void {
    this.#places = null;
  }
}
