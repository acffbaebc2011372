// Which names answers are learned for: those that a pattern names. Keeps no name: the store of answers has those, and the limits of them.

import { canonicalHostName } from "../../model/selectors/host-names.ts";
import type { Question } from "./search-suffixes.ts";
import { SearchSuffixes } from "./search-suffixes.ts";

export interface Watched {
  /** Names, or names with one `*`, which stands for any text. A pattern with more of them selects nothing. */
  readonly patterns: Iterable<string>;
  readonly search: SearchSuffixes;
}

interface Wildcard {
  readonly head: string;
  readonly tail: string;
}

export class WatchedNames {
  #exact: ReadonlySet<string> = new Set();
  #wildcards: readonly Wildcard[] = [];
  #search = new SearchSuffixes([]);

  /** Whether a wildcard is watched. */
  get hasWildcards(): boolean {
    return this.#wildcards.length > 0;
  }

  watch({ patterns, search }: Watched): void {
    const split = Array.from(patterns, (one) => canonicalHostName(one).split("*"));
    this.#search = search;
    this.#exact = new Set(split.flatMap(([name = "", ...others]) => (others.length === 0 ? [name] : [])));
    this.#wildcards = split.flatMap(([head = "", tail, ...others]) =>
      tail === undefined || others.length > 0 ? [] : [{ head, tail }],
    );
  }

  /** The name that the answer is of. */
  nameOf(question: Question): string {
    return this.#search.nameOf(question);
  }

  /** Whether a pattern names it. `name`: in lower case, without the final dot. */
  watches(name: string): boolean {
    return this.#exact.has(name) || this.#wildcards.some((one) => isLike(name, one));
  }
}

function isLike(name: string, { head, tail }: Wildcard): boolean {
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}
