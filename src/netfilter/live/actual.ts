// What a packet filter has of ours: chains and sets, by name.

import type { Multimap } from "../../lib/multimap.ts";
import type { IpFamily } from "../../model/ip.ts";
import { isSameList } from "../../lib/same-list.ts";
import type { ChainText } from "../print-hooks.ts";

/** By address, the elements as the tool prints them. */
export type ActualSet = Multimap<string, string>;

/** By chain, the rules as ChainText has them. */
export type ActualChains = ReadonlyMap<string, readonly string[]>;

/** Rules are of one family, or in one table for both. */
export type TableName = IpFamily | "inet";

/** Of one table. */
export interface ActualFilter {
  readonly chains: ActualChains;
  readonly sets: ReadonlyMap<string, ActualSet>;
  /** The chains that were written last; null: they were read. */
  readonly madeOf: readonly ChainText[] | null;
}

export const nothingActual: ActualFilter = { chains: new Map(), sets: new Map(), madeOf: null };

export type Filters = ReadonlyMap<TableName, ActualFilter>;

/** Of all tables. */
export interface FilterCounts {
  readonly chains: number;
  readonly rules: number;
  readonly sets: number;
  readonly addresses: number;
}

/** Nothing while it is not known. */
export function countsOf(filters: Filters | null): FilterCounts {
  const all = [...(filters?.values() ?? [])];
  const chains = all.flatMap((one) => [...one.chains.values()]);
  const sets = all.flatMap((one) => [...one.sets.values()]);
  return {
    chains: chains.length,
    rules: chains.reduce((sum, rules) => sum + rules.length, 0),
    sets: sets.length,
    addresses: sets.reduce((sum, set) => sum + set.size, 0),
  };
}

/** Of an element: what comes before its other parts. */
export function addressOf(element: string): string {
  const [address = ""] = element.split(/[ ,]/, 1);
  return address;
}

export function elementsIn(set: ActualSet): readonly string[] {
  return [...set.keys()].flatMap((address) => [...set.get(address)]);
}

export function isSameFilter(one: ActualFilter, other: ActualFilter): boolean {
  return (
    one.chains.size === other.chains.size &&
    one.sets.size === other.sets.size &&
    [...one.chains].every(([name, rules]) => isSameRules(rules, other.chains.get(name))) &&
    [...one.sets].every(([name, set]) => isSameSet(set, other.sets.get(name)))
  );
}

function isSameRules(one: readonly string[], other: readonly string[] | undefined): boolean {
  return other !== undefined && isSameList(one, other);
}

function isSameSet(one: ActualSet, other: ActualSet | undefined): boolean {
  if (one.size !== other?.size) return false;
  return [...one.keys()].every((address) => {
    const [mine, theirs] = [one.get(address), other.get(address)];
    return mine.size === theirs.size && mine.isSubsetOf(theirs);
  });
}
