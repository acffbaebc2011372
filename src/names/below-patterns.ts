// The names that only patterns ask for, by pattern, the least recently answered first. Invariant: a name is below exactly the patterns
// that it has, unless a policy names it itself.

import type { KnownName } from "./known-name.ts";

export class BelowPatterns {
  readonly #names = new Map<string, Set<KnownName>>();

  /** How many names, each below one pattern or more. */
  get size(): number {
    const all = new Set<KnownName>();
    for (const names of this.#names.values()) for (const one of names) all.add(one);
    return all.size;
  }

  /** It was answered now. */
  touch(known: KnownName): void {
    if (known.isNamed) return;
    for (const pattern of known.patterns) {
      const names = this.#names.get(pattern) ?? new Set();
      this.#names.set(pattern, names);
      names.delete(known);
      names.add(known);
    }
  }

  remove(known: KnownName): void {
    for (const pattern of known.patterns) {
      const names = this.#names.get(pattern);
      names?.delete(known);
      if (names?.size === 0) this.#names.delete(pattern);
    }
  }

  clear(): void {
    this.#names.clear();
  }

  /** The name that gives way to another one below the pattern; null: there is room. */
  givingWay(pattern: string, most: number): KnownName | null {
    const names = this.#names.get(pattern);
    if (names === undefined || names.size < most) return null;
    const [oldest] = names;
    return oldest ?? null;
  }
}
