// Where sets may differ from what is desired: single elements of each, or all of it. Says only where to look; marking never
// makes the place smaller.

export type PendingElements<E> = Set<E> | "all";

/** By what the set goes by. */
export class PendingSets<K, E = string> extends Map<K, PendingElements<E>> {
  mark(key: K, elements: Iterable<E> | "all"): void {
    const known = this.get(key);
    if (elements === "all") this.set(key, "all");
    else if (known === undefined) this.set(key, new Set(elements));
    else if (known !== "all") for (const element of elements) known.add(element);
  }
}
