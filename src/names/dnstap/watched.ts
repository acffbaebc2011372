// Which names answers are learned for: those that a pattern names. Keeps no name: the store of answers has those, and the limits of them.

import { canonicalHostName } from "../../model/selectors/host-names.ts";

export interface Watched {
  /** Names, or names with one `*`, which stands for any text. A pattern with more of them selects nothing. */
  readonly patterns: Iterable<string>;
  /** Of resolv.conf, as `svc.cluster.local`: with labels before it, one is a search suffix too. */
  readonly suffixes: Iterable<string>;
}

export interface Question {
  readonly name: string;
  /** Where the alias of the name itself leads; null: it has none. */
  readonly alias: string | null;
}

interface Wildcard {
  readonly head: string;
  readonly tail: string;
}

export class WatchedNames {
  #exact: ReadonlySet<string> = new Set();
  #wildcards: readonly Wildcard[] = [];
  #suffixes: readonly string[] = [];

  /** Whether a wildcard is watched. */
  get hasWildcards(): boolean {
    return this.#wildcards.length > 0;
  }

  watch({ patterns, suffixes }: Watched): void {
    const split = Array.from(patterns, (one) => canonicalHostName(one).split("*"));
    this.#suffixes = Array.from(suffixes, (one) => `.${canonicalHostName(one)}`);
    this.#exact = new Set(split.flatMap(([name = "", ...others]) => (others.length === 0 ? [name] : [])));
    this.#wildcards = split.flatMap(([head = "", tail, ...others]) =>
      tail === undefined || others.length > 0 ? [] : [{ head, tail }],
    );
  }

  /**
   * Without a search suffix. The suffix counts only where an alias says so, as CoreDNS' `autopath` does: anyone who may create a Service
   * has names that end in a suffix.
   */
  nameOf({ name, alias }: Question): string {
    if (alias === null || !name.startsWith(`${alias}.`)) return name;
    const rest = name.slice(alias.length);
    return this.#suffixes.some((suffix) => rest.endsWith(suffix)) ? alias : name;
  }

  /** Whether a pattern names it. `name`: in lower case, without the final dot. */
  watches(name: string): boolean {
    return this.#exact.has(name) || this.#wildcards.some((one) => isLike(name, one));
  }
}

function isLike(name: string, { head, tail }: Wildcard): boolean {
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}
