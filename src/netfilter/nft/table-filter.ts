// The table of the node as it was last read and as it was written since, and the one transaction that makes it another.

import type { ActualFilter, ActualSet, Filters } from "../live/actual.ts";
import { addressOf, elementsIn, isSameFilter } from "../live/actual.ts";
import type { TableTools } from "../live/filter-tools.ts";
import type { FilterWrites, LiveFilter, TableWrite } from "../live/live-filter.ts";
import type { SetElement } from "../live/live-sets.ts";
import { noTableWrite } from "../live/live-filter.ts";
import { Multimap } from "../../lib/multimap.ts";
import { hookOf } from "./hooks.ts";
import type { ReadTable } from "./read-table.ts";
import { readTable } from "./read-table.ts";
import { changesScript, linesOf, nftScript } from "./script.ts";
import { typeOfSet } from "./sets.ts";

export class TableFilter implements LiveFilter {
  readonly #tools: TableTools;
  #known: ReadTable | null = null;

  constructor(tools: TableTools) {
    this.#tools = tools;
  }

  get known(): Filters | null {
    return this.#known === null ? null : new Map([["inet", this.#known]]);
  }

  forget(): void {
    this.#known = null;
  }

  async read(): Promise<boolean> {
    const now = readTable(await this.#tools.list());
    const before = this.#known;
    this.#known = now;
    return before === null || now.isOdd || !isSameFilter(before, now);
  }

  /** nft reports such changes. */
  hasOtherSizes(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async write(writes: FilterWrites, wrote: () => void = () => undefined): Promise<null> {
    const before = this.#known;
    if (before === null) return null;
    const write = withoutLost(before, writes.get("inet") ?? noTableWrite);
    const next = after(before, write);
    const script = scriptOf(before, write, next);
    if (script === "") return null;
    this.#known = null;
    await this.#tools.apply(script);
    this.#known = next;
    wrote();
    return null;
  }
}

function scriptOf(before: ReadTable, write: TableWrite, next: ReadTable): string {
  const isNothing = write.chains.length + next.sets.size === 0;
  const isNew = before.chains.size + before.sets.size === 0;
  if (isNothing) return isNew && !before.isOdd ? "" : nftScript({ chains: [], sets: [] });
  if (!isNew && !before.isOdd && !write.chains.some((chain) => hasOtherHook(before, chain)))
    return changesScript(before, write);
  const sets = [...next.sets].map(([name, set]) => ({
    ...{ name, type: typeOfSet(name) ?? "" },
    elements: elementsIn(set),
  }));
  return nftScript({ chains: write.chains, sets });
}

/** A chain's hook cannot be changed while it exists. */
function hasOtherHook({ chains }: ActualFilter, { name }: { readonly name: string }): boolean {
  const before = chains.get(name);
  const hook = hookOf(name);
  return before !== undefined && hook !== null && before[0] !== hook;
}

/** Without the elements that lead to chains which are removed. */
function withoutLost({ chains: before, sets: known }: ActualFilter, write: TableWrite): TableWrite {
  const names = new Set(write.chains.map(({ name }) => name));
  const stale = new Set([...before.keys()].filter((name) => !names.has(name)));
  if (stale.size === 0) return write;
  const listed = new Set(write.sets.removed.map(({ name, element }) => `${name} ${element}`));
  const lost = [...known].flatMap(([name, set]): readonly SetElement[] => {
    if (typeOfSet(name)?.endsWith(": verdict") !== true || !write.used.has(name)) return [];
    return elementsIn(set).flatMap((element) => {
      const isLost = stale.has(element.slice(element.lastIndexOf(" ") + 1));
      return isLost && !listed.has(`${name} ${element}`) ? [{ name, element }] : [];
    });
  });
  const { sets } = write;
  return { ...write, sets: { ...sets, removed: [...sets.removed, ...lost] } };
}

function after(
  before: ReadTable,
  { chains, sets: { created, added, removed }, used }: TableWrite,
): ReadTable {
  const sets = new Map<string, ActualSet>(before.sets);
  for (const name of before.sets.keys()) if (!used.has(name)) sets.delete(name);
  for (const { name } of created) sets.set(name, new Multimap());
  for (const { name, element } of removed) sets.get(name)?.remove(addressOf(element), element);
  for (const { name, element } of added) sets.get(name)?.add(addressOf(element), element);
  const isSame = chains === before.madeOf;
  return {
    ...{ sets, isOdd: false, madeOf: chains },
    chains: isSame ? before.chains : new Map(chains.map((chain) => [chain.name, linesOf(chain)])),
  };
}
