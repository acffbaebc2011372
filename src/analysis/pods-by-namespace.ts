// The pods of each namespace: all are looked at once, when the first is asked for, so that an answer about one namespace costs no
// look at every pod. The pods must not change while it is used.

import type { PodFact } from "../model/facts.ts";

export class PodsByNamespace {
  readonly #pods: { values(): Iterable<PodFact> };
  #byNamespace: ReadonlyMap<string, readonly PodFact[]> | null = null;

  constructor(pods: { values(): Iterable<PodFact> }) {
    this.#pods = pods;
  }

  /** In the order of all. */
  of(namespace: string): readonly PodFact[] {
    this.#byNamespace ??= Map.groupBy(this.#pods.values(), (pod) => pod.namespace);
    return this.#byNamespace.get(namespace) ?? [];
  }
}
