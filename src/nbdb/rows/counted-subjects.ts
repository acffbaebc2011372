// Groups of pods, counted by how many policies name them: which are named follows from the counts, so that an added, changed or
// removed policy costs its own groups.

import { CountedSet } from "../../lib/counted-set.ts";
import type { GroupKey } from "../../policy/ir.ts";

export class CountedSubjects {
  readonly #counts = new CountedSet<GroupKey>();
  /** Sorted when they are asked for; null: they have changed since. */
  #sorted: readonly GroupKey[] | null = null;

  /** Ascending; the same list as before unless they differ. */
  get subjects(): readonly GroupKey[] {
    this.#sorted ??= [...this.#counts.keys()].sort();
    return this.#sorted;
  }

  /** A policy names `after` instead of `before`, each group once. */
  replace(before: Iterable<GroupKey>, after: Iterable<GroupKey>): void {
    // A group that stays never leaves meanwhile.
    const come = [...after].filter((group) => this.#counts.add(group));
    const left = [...before].filter((group) => this.#counts.remove(group));
    if (come.length + left.length > 0) this.#sorted = null;
  }
}
