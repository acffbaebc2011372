// Joins pairs of kinds whose verdicts differ alike, or are decided alike: sources with the same destinations for one change are
// one class. Sources are added one after the other, with all of their destinations.

import type { Change } from "./questions/difference.ts";

/** Kinds by their numbers. Every source with every destination, but for a pod with itself and an address with an address. */
export interface RawClass<C extends { readonly id: number } = Change> {
  readonly change: C;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

interface Growing<C extends { readonly id: number }> extends RawClass<C> {
  readonly from: number[];
}

export class Classes<C extends { readonly id: number } = Change> {
  /** By change and a number made of the destinations: equal ones have the same, different ones hardly ever. */
  readonly #found = new Map<string, Growing<C>[]>();

  /** The destinations are ascending. */
  add(change: C, from: number, to: readonly number[]): void {
    const key = `${change.id} ${to.length} ${hashOf(to)}`;
    const alike = this.#found.get(key);
    const same = alike?.find((one) => sameNumbers(one.to, to));
    if (same !== undefined) same.from.push(from);
    else if (alike === undefined) this.#found.set(key, [{ change, from: [from], to }]);
    else alike.push({ change, from: [from], to });
  }

  list(): readonly RawClass<C>[] {
    return [...this.#found.values()].flat();
  }
}

/** FNV-1a over the numbers. */
function hashOf(numbers: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const number of numbers) hash = Math.imul(hash ^ number, 0x01000193);
  return hash;
}

function sameNumbers(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((number, at) => number === other[at]);
}
