// From policies to what a node's filter is to have: their chains, beside those that stay, and what their sets need.

import { isSameList } from "../../lib/same-list.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { Edges, Membership } from "../../policy/contracts/membership.ts";
import type { Policy, PolicyKey } from "../../policy/ir.ts";
import { lower } from "../lower.ts";
import type { ChainText } from "../print-hooks.ts";
import type { FilterProgram } from "../program.ts";
import { setsOf } from "../program.ts";
import type { ActualFilter, Filters, TableName } from "./actual.ts";
import { nothingActual } from "./actual.ts";
import { FilterRefusedError } from "./filter-tools.ts";
import { withKeptChains } from "./kept.ts";
import type { FilterLanguage, TableOf } from "./language.ts";
import type { FilterWrites, TableWrite } from "./live-filter.ts";
import type { SetChanges } from "./live-sets.ts";
import { LiveSets } from "./live-sets.ts";
import type { PodPacket } from "./pod-packets.ts";
import { podPackets } from "./pod-packets.ts";
import type { RuleOwners } from "./rule-owners.ts";

export interface CompilerOptions {
  readonly membership: Membership;
  /** The node; null: every pod is local. */
  readonly zone: string | null;
  readonly language: FilterLanguage;
}

/** Policies of whom nothing is compiled, and what is there stays. */
export interface Keeping {
  readonly owners: RuleOwners;
  readonly keeps: (policy: PolicyKey) => boolean;
}

export interface Compiled {
  /** Where they are not written, everything must be looked at again. */
  readonly writes: FilterWrites;
  /** Policies whose sets' members have changed. */
  readonly concerned: readonly PolicyKey[];
}

interface TableChains {
  readonly chains: readonly ChainText[];
  /** Sets that only chains which stay name. */
  readonly used: ReadonlySet<string>;
  readonly isKept: boolean;
}

const noChains: TableChains = { chains: [], used: new Set(), isKept: false };

export class FilterCompiler {
  readonly #language: FilterLanguage;
  readonly #sets: LiveSets;
  readonly #packetsOf: (program: FilterProgram) => readonly PodPacket[];
  #packets: readonly PodPacket[] = [];
  #arePacketsAsked = true;
  #families: readonly IpFamily[] = [];
  /** What was compiled last. */
  #last: {
    readonly policies: readonly Policy[];
    readonly program: FilterProgram;
    readonly desired: Map<TableName, readonly ChainText[]>;
  } | null = null;

  /** What desired chains were written as. */
  readonly #made = new WeakMap<readonly ChainText[], readonly ChainText[]>();

  constructor({ membership, zone, language }: CompilerOptions) {
    this.#language = language;
    this.#sets = new LiveSets(membership, zone, language.sets);
    this.#packetsOf = (program) =>
      podPackets(membership, zone, new Set(setsOf(program).flatMap(({ groups }) => groups)));
  }

  /** A few that pods of the policies may send, as of the first compilation since the last question. */
  packets(): readonly PodPacket[] {
    this.#arePacketsAsked = true;
    return this.#packets;
  }

  /** Whether elements may differ. */
  get isPending(): boolean {
    return this.#sets.arePending;
  }

  serve(families: readonly IpFamily[]): void {
    this.#families = families;
    this.#last = null;
  }

  touch(edges: Edges): void {
    this.#sets.touch(edges);
  }

  /** All of every set may differ. */
  lookAtAll(): void {
    this.#sets.lookAtAll();
  }

  /** Throws a FilterRefusedError where names of the policies' chains or sets are equal. */
  compile(policies: Iterable<Policy>, known: Filters, keeping: Keeping): Compiled {
    const program = this.#programOf([...policies]);
    if (this.#arePacketsAsked) this.#packets = this.#packetsOf(program);
    this.#arePacketsAsked = false;
    const compiled = this.#language.tables.map((one) => {
      const table = this.#served(one);
      const actual = known.get(table.name) ?? nothingActual;
      return { table, actual, ...this.#chains(table, actual, program, keeping) };
    });
    const places = this.#sets.take(compiled.some(({ isKept }) => isKept));
    const writes = compiled.map(({ table: { name, families }, actual, chains, used }) => {
      const sets = joined(families.map((family) => this.#sets.changes(family, actual.sets, places)));
      const names = families.flatMap((family) => [...this.#sets.names(family)]);
      const write: TableWrite = { chains, sets, used: used.union(new Set(names)) };
      return [name, write] as const;
    });
    return { writes: new Map(writes), concerned: this.#sets.concernedBy(places) };
  }

  #served({ name, families }: TableOf): TableOf {
    return { name, families: families.filter((family) => this.#families.includes(family)) };
  }

  /** The one before, where no policy is another than then. */
  #programOf(policies: readonly Policy[]): FilterProgram {
    const last = this.#last;
    if (last !== null && isSameList(last.policies, policies)) return last.program;
    const program = lower(policies);
    this.#sets.follow(program);
    this.#last = { policies, program, desired: new Map() };
    return program;
  }

  #desired(table: TableOf, program: FilterProgram): readonly ChainText[] {
    const known = this.#last?.desired.get(table.name);
    if (known !== undefined) return known;
    const desired = this.#language.print(program, table);
    const twice = this.#sets.sharedName ?? firstTwice(desired.map(({ name }) => name));
    if (twice !== null)
      throw new FilterRefusedError(`the name ${twice} stands for two different things of the policies`);
    this.#last?.desired.set(table.name, desired);
    return desired;
  }

  #chains(
    table: TableOf,
    { chains: actual, madeOf }: ActualFilter,
    program: FilterProgram,
    { owners, keeps }: Keeping,
  ): TableChains {
    if (table.families.length === 0) return noChains;
    const { chains: form, numbered } = this.#language;
    const desired = this.#desired(table, program);
    // What this program has written has nothing else.
    if (madeOf !== null && madeOf === (this.#made.get(desired) ?? desired))
      return { ...noChains, chains: madeOf };
    const chains = withKeptChains(desired, actual, (owner) => owners.of(owner).some(keeps), form);
    if (chains !== desired)
      return { chains: numbered(chains, actual, table), used: this.#setsNamedIn(chains), isKept: true };
    // Where no policy says anything, nothing is written.
    if (program.egress.length + program.ingress.length === 0) return noChains;
    const made = numbered(desired, actual, table);
    this.#made.set(desired, made);
    return { ...noChains, chains: made };
  }

  #setsNamedIn(chains: readonly ChainText[]): ReadonlySet<string> {
    const { setsIn } = this.#language;
    return new Set(chains.flatMap(({ rules }) => rules.flatMap((rule) => setsIn(rule))));
  }
}

function joined(changes: readonly SetChanges[]): SetChanges {
  return {
    created: changes.flatMap(({ created }) => created),
    added: changes.flatMap(({ added }) => added),
    removed: changes.flatMap(({ removed }) => removed),
  };
}

/** Names are hashes, so that two chains may have one. */
function firstTwice(names: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}
