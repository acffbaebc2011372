// The packet filter of the node as it was last read and as it was written since, and the writes that make it another.

import type { IpFamily } from "../../model/ip.ts";
import { ipFamilies } from "../../model/ip.ts";
import type { ActualFilter, ActualSet, Filters } from "./actual.ts";
import { addressOf, elementsIn } from "./actual.ts";
import type { FilterTools } from "./filter-tools.ts";
import { FilterRefusedError } from "./filter-tools.ts";
import type { FilterWrites, LiveFilter, TableWrite } from "./live-filter.ts";
import { noTableWrite } from "./live-filter.ts";
import type { SetChanges } from "./live-sets.ts";
import { rulesText } from "./plan-rules.ts";
import { createText } from "../print-ipset.ts";
import type { ActualTable, ProtocolNumbers } from "./read-saves.ts";
import { isSameTable, readChains, readSets } from "./read-saves.ts";
import { Multimap } from "../../lib/multimap.ts";

interface Steps {
  readonly sets: string;
  readonly rules: Readonly<Record<IpFamily, string>>;
  readonly unused: string;
}

type Tables = Readonly<Record<IpFamily, ActualTable>>;
type Writes = Readonly<Record<IpFamily, TableWrite>>;

export class NodeFilter implements LiveFilter {
  readonly #tools: FilterTools;
  readonly #protocols: ProtocolNumbers;
  #known: Tables | null = null;

  constructor(tools: FilterTools, protocols: ProtocolNumbers) {
    this.#tools = tools;
    this.#protocols = protocols;
  }

  get known(): Filters | null {
    const known = this.#known;
    return known === null ? null : new Map(ipFamilies.map((family) => [family, known[family]]));
  }

  forget(): void {
    this.#known = null;
  }

  async read(): Promise<boolean> {
    const { rules, sets } = await this.#tools.read();
    const ofFamily = (family: IpFamily): ActualTable => ({
      ...readChains(rules[family], this.#protocols),
      sets: readSets(sets, family),
      madeOf: null,
    });
    const before = this.#known;
    const now = { v4: ofFamily("v4"), v6: ofFamily("v6") };
    this.#known = now;
    return before === null || !ipFamilies.every((family) => isSameTable(before[family], now[family]));
  }

  setNames(family: IpFamily): ReadonlySet<string> {
    return new Set(this.#known?.[family].sets.keys());
  }

  async hasOtherSizes(): Promise<boolean> {
    const sizes = await this.#tools.setSizes();
    const sets = this.#known === null ? [] : [...this.#known.v4.sets, ...this.#known.v6.sets];
    return sets.some(([name, set]) => elementsIn(set).length !== sizes.get(name));
  }

  /** Elements and new sets first, which no rule names yet; then the rules of both families; then sets that no rule names any more. */
  async write(wanted: FilterWrites, wrote: () => void = () => undefined): Promise<string | null> {
    const of = (family: IpFamily): TableWrite => wanted.get(family) ?? noTableWrite;
    const writes = { v4: of("v4"), v6: of("v6") };
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

  #stepsOf(writes: Writes): Steps | null {
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

function unusedSets({ sets }: ActualFilter, { used }: TableWrite): readonly string[] {
  return [...sets.keys()].filter((name) => !used.has(name));
}

/** The filter of before, with the writes. */
function after(before: ActualTable, write: TableWrite): ActualTable {
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
