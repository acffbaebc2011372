// The packet filter of the node as it was last read and as it was written since, and the writes that make it another.

import type { IpFamily } from "../../model/ip.ts";
import { ipFamilies } from "../../model/ip.ts";
import type { ActualFilter, ActualSet, ProtocolNumbers } from "./actual.ts";
import { addressOf, isSameFilter, readChains, readSets } from "./actual.ts";
import type { FilterTools } from "./filter-tools.ts";
import { FilterRefusedError } from "./filter-tools.ts";
import type { SetChanges } from "./live-sets.ts";
import { rulesText } from "./plan-rules.ts";
import { createText } from "../print-ipset.ts";
import type { ChainText } from "../print-hooks.ts";
import { Multimap } from "../../lib/multimap.ts";

/** What one family is to have. */
export interface FamilyWrite {
  readonly chains: readonly ChainText[];
  readonly sets: SetChanges;
  /** Sets that stay although no change names them. */
  readonly used: ReadonlySet<string>;
}

export type FilterWrites = Readonly<Record<IpFamily, FamilyWrite>>;

interface Steps {
  readonly sets: string;
  readonly rules: Readonly<Record<IpFamily, string>>;
  readonly unused: string;
}

export type Filters = Readonly<Record<IpFamily, ActualFilter>>;

export class NodeFilter {
  readonly #tools: FilterTools;
  readonly #protocols: ProtocolNumbers;
  #known: Filters | null = null;

  constructor(tools: FilterTools, protocols: ProtocolNumbers) {
    this.#tools = tools;
    this.#protocols = protocols;
  }

  /** null: it was not read, or a write ended with an error since. */
  get known(): Filters | null {
    return this.#known;
  }

  /** What is known is in doubt. */
  forget(): void {
    this.#known = null;
  }

  /** Returns whether it has changed since it was last known. Rejects as the tools do. */
  async read(): Promise<boolean> {
    const { rules, sets } = await this.#tools.read();
    const ofFamily = (family: IpFamily): ActualFilter => ({
      ...readChains(rules[family], this.#protocols),
      sets: readSets(sets, family),
      madeOf: null,
    });
    const before = this.#known;
    const now = { v4: ofFamily("v4"), v6: ofFamily("v6") };
    this.#known = now;
    return before === null || !ipFamilies.every((family) => isSameFilter(before[family], now[family]));
  }

  /** Of both families; nothing while it is not known. */
  counts(): {
    readonly chains: number;
    readonly rules: number;
    readonly sets: number;
    readonly addresses: number;
  } {
    const all = this.#known === null ? [] : [this.#known.v4, this.#known.v6];
    const chains = all.flatMap((one) => [...one.chains.values()]);
    const sets = all.flatMap((one) => [...one.sets.values()]);
    return {
      chains: chains.length,
      rules: chains.reduce((sum, rules) => sum + rules.length, 0),
      sets: sets.length,
      addresses: sets.reduce((sum, set) => sum + set.size, 0),
    };
  }

  setNames(family: IpFamily): ReadonlySet<string> {
    return new Set(this.#known?.[family].sets.keys());
  }

  /** Whether a set has another number of elements than is known. Rejects as the tools do. */
  async hasOtherSizes(): Promise<boolean> {
    const sizes = await this.#tools.setSizes();
    const sets = this.#known === null ? [] : [...this.#known.v4.sets, ...this.#known.v6.sets];
    return sets.some(([name, set]) => elementsIn(set) !== sizes.get(name));
  }

  /**
   * What differs, in an order that leaves no gap: elements and new sets, which no rule names yet; the rules of both families; sets
   * that no rule names any more. Nothing is run where nothing differs: then `wrote` is not called. Resolves with why such a set could not be removed; null: it was. Rejects as the tools do: what was known is
   * forgotten then.
   */
  async write(writes: FilterWrites, wrote: () => void = () => undefined): Promise<string | null> {
    const steps = this.#stepsOf(writes);
    const before = this.#known;
    if (steps === null || before === null || isEmpty(steps)) return null;
    this.#known = null;
    if (steps.sets !== "") await this.#tools.changeSets(steps.sets);
    await this.#changeRules(steps.rules);
    const left = steps.unused === "" ? null : await this.#removeSets(steps.unused);
    if (left === null) this.#known = { v4: after(before.v4, writes.v4), v6: after(before.v6, writes.v6) };
    else await this.read();
    wrote();
    return left;
  }

  /** Of both families at a time. Rejects when both have ended, with what is in doubt before what was refused. */
  async #changeRules(rules: Steps["rules"]): Promise<void> {
    const changed = ipFamilies.filter((family) => rules[family] !== "");
    const ends = await Promise.allSettled(
      changed.map((family) => this.#tools.changeRules(family, rules[family])),
    );
    const errors = ends.flatMap((end): unknown[] => (end.status === "rejected" ? [end.reason] : []));
    if (errors.length > 0) throw errors.find((error) => !(error instanceof FilterRefusedError)) ?? errors[0];
  }

  /** A set that a rule of somebody else names cannot be removed. */
  async #removeSets(script: string): Promise<string | null> {
    try {
      await this.#tools.changeSets(script);
      return null;
    } catch (error) {
      if (!(error instanceof FilterRefusedError)) throw error;
      return error.message;
    }
  }

  #stepsOf(writes: FilterWrites): Steps | null {
    const known = this.#known;
    if (known === null) return null;
    const lines = ipFamilies.map((family) => setLines(writes[family].sets));
    const rules = (family: IpFamily) =>
      writes[family].chains === known[family].madeOf ? "" : rulesText(writes[family].chains, known[family]);
    return {
      sets: text([...lines.flatMap(({ made }) => made), ...lines.flatMap(({ changed }) => changed)]),
      rules: { v4: rules("v4"), v6: rules("v6") },
      unused: text(
        ipFamilies.flatMap((family) =>
          unusedSets(known[family], writes[family]).map((name) => `destroy ${name}`),
        ),
      ),
    };
  }
}

function elementsIn(set: ActualSet): number {
  return Iterator.from(set.keys()).reduce((sum, address) => sum + set.get(address).size, 0);
}

function isEmpty({ sets, rules, unused }: Steps): boolean {
  return [sets, rules.v4, rules.v6, unused].every((one) => one === "");
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function setLines({ created, added, removed }: SetChanges) {
  return {
    made: created.map(createText),
    changed: [
      ...added.map(({ name, element }) => `add ${name} ${element}`),
      ...removed.map(({ name, element }) => `del ${name} ${element}`),
    ],
  };
}

function unusedSets({ sets }: ActualFilter, { used }: FamilyWrite): readonly string[] {
  return [...sets.keys()].filter((name) => !used.has(name));
}

/** The filter of before, with the writes. */
function after(before: ActualFilter, write: FamilyWrite): ActualFilter {
  const { created, added, removed } = write.sets;
  const sets = new Map<string, ActualSet>(before.sets);
  for (const name of unusedSets(before, write)) sets.delete(name);
  for (const { name } of created) sets.set(name, new Multimap());
  for (const { name, element } of added) sets.get(name)?.add(addressOf(element), element);
  for (const { name, element } of removed) sets.get(name)?.remove(addressOf(element), element);
  if (write.chains === before.madeOf) return { ...before, sets };
  const jumps = write.chains.length === 0 ? [] : [0];
  return {
    chains: new Map(write.chains.map(({ name, rules }) => [name, rules])),
    jumps: { FORWARD: jumps, INPUT: jumps },
    sets,
    madeOf: write.chains,
  };
}
