// Where sets may differ from the desired ones: single elements of each, or all of it. Only says where to compare;
// marking never removes a place.

export type PendingElements<E> = Set<E> | "all";

/** Keyed by the set's key. */
export class PendingSets<K, E = string> extends Map<K, PendingElements<E>> {
  mark(key: K, elements: Iterable<E> | "all"): void {
    const known = this.get(key);
    if (elements === "all") this.set(key, "all");
    else if (known === undefined) this.set(key, new Set(elements));
    else if (known !== "all") for (const element of elements) known.add(element);
  }
}
