// Which names are learned from answers: those that a pattern names. Below a wildcard their number is bounded, and the name that was asked
// for least recently gives way. Pure. Invariant: a name is held exactly while it is in the list of a wildcard that matches it.

import { canonicalHostName } from "../../model/selectors/host-names.ts";
import { Multimap } from "../../lib/multimap.ts";

export const mostOfWildcard = 1024;

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
  /** The one that was asked for least recently first. */
  readonly names: Set<string>;
}

export class LearnedNames {
  readonly #most: number;
  #exact: ReadonlySet<string> = new Set();
  #wildcards: ReadonlyMap<string, Wildcard> = new Map();
  #suffixes: readonly string[] = [];
  readonly #holders = new Multimap<string, Wildcard>();
  #givenWay = 0;

  constructor(most = mostOfWildcard) {
    this.#most = most;
  }

  /** Whether a wildcard is watched. */
  get hasWildcards(): boolean {
    return this.#wildcards.size > 0;
  }

  /** Names below wildcards that are held now. */
  get size(): number {
    return this.#holders.size;
  }

  /** How many times a name had to give way to another. */
  get givenWay(): number {
    return this.#givenWay;
  }

  /** Names of wildcards that were watched before, and still are, stay. */
  watch({ patterns, suffixes }: Watched): void {
    const split = [...patterns].map((one) => ({ pattern: canonicalHostName(one), parts: one.split("*") }));
    this.#suffixes = Array.from(suffixes, (one) => `.${canonicalHostName(one)}`);
    this.#exact = new Set(split.filter(({ parts }) => parts.length === 1).map(({ pattern }) => pattern));
    const before = this.#wildcards;
    this.#wildcards = new Map(
      split
        .filter(({ parts }) => parts.length === 2)
        .map(({ pattern }) => [pattern, before.get(pattern) ?? wildcardOf(pattern)]),
    );
    for (const [pattern, wildcard] of before)
      if (!this.#wildcards.has(pattern)) for (const name of wildcard.names) this.#release(wildcard, name);
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

  /** Whether the name is an exact one, or is held. */
  knows(name: string): boolean {
    return this.#exact.has(name) || this.#holders.first(name) !== undefined;
  }

  /** The name was answered with addresses. Whether a pattern names it. */
  admit(name: string): boolean {
    let isWatched = this.#exact.has(name);
    for (const wildcard of this.#wildcards.values()) {
      if (!isLike(name, wildcard)) continue;
      isWatched = true;
      if (wildcard.names.delete(name)) wildcard.names.add(name);
      else this.#hold(wildcard, name);
    }
    return isWatched;
  }

  #hold(wildcard: Wildcard, name: string): void {
    const [oldest] = wildcard.names;
    if (wildcard.names.size >= this.#most && oldest !== undefined) {
      this.#givenWay++;
      this.#release(wildcard, oldest);
    }
    wildcard.names.add(name);
    this.#holders.add(name, wildcard);
  }

  #release(wildcard: Wildcard, name: string): void {
    wildcard.names.delete(name);
    this.#holders.remove(name, wildcard);
  }
}

function wildcardOf(pattern: string): Wildcard {
  const [head = "", tail = ""] = pattern.split("*");
  return { head, tail, names: new Set() };
}

function isLike(name: string, { head, tail }: Wildcard): boolean {
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}
