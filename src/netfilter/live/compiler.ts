// From policies to what a node's filter is to have: their chains, beside those that stay, and what their sets need.

import { isSameList } from "../../lib/same-list.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { Edges, Membership } from "../../policy/contracts/membership.ts";
import type { Policy, PolicyKey } from "../../policy/ir.ts";
import { lower } from "../lower.ts";
import { withGeneration } from "./generation.ts";
import type { FilterForm } from "../options.ts";
import type { ChainText } from "../print-hooks.ts";
import { hookChains, marksOf } from "../print-hooks.ts";
import { chainTexts } from "../print-iptables.ts";
import type { FilterProgram } from "../program.ts";
import { setsOf } from "../program.ts";
import type { ActualFilter } from "./actual.ts";
import { withKeptChains } from "./kept.ts";
import { LiveSets, noSetChanges } from "./live-sets.ts";
import type { FamilyWrite, Filters, FilterWrites } from "./node-filter.ts";
import { FilterRefusedError } from "./filter-tools.ts";
import { headOf, nodeSetsOf } from "../set-contents.ts";
import type { PodPacket } from "./pod-packets.ts";
import { podPackets } from "./pod-packets.ts";
import type { RuleOwners } from "./rule-owners.ts";

export interface CompilerOptions {
  readonly membership: Membership;
  /** The node; null: every pod is local. */
  readonly zone: string | null;
  readonly form: FilterForm;
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

interface FamilyChains {
  readonly chains: readonly ChainText[];
  /** Sets that only chains which stay name. */
  readonly used: ReadonlySet<string>;
  readonly isKept: boolean;
}

const noChains: FamilyChains = { chains: [], used: new Set(), isKept: false };

export class FilterCompiler {
  readonly #form: FilterForm;
  readonly #sets: LiveSets;
  readonly #packetsOf: (program: FilterProgram) => readonly PodPacket[];
  #packets: readonly PodPacket[] | null = null;
  #families: readonly IpFamily[] = [];
  /** What was compiled last. */
  #last: {
    readonly policies: readonly Policy[];
    readonly program: FilterProgram;
    readonly desired: Partial<Record<IpFamily, readonly ChainText[]>>;
  } | null = null;

  /** What desired chains were written as. */
  readonly #made = new WeakMap<readonly ChainText[], readonly ChainText[]>();

  constructor({ membership, zone, form }: CompilerOptions) {
    this.#form = form;
    this.#sets = new LiveSets(membership, zone);
    this.#packetsOf = (program) =>
      podPackets(membership, zone, new Set(setsOf(program).flatMap(({ groups }) => groups)));
  }

  /** A few that pods of the policies may send, as of a compilation; where it found none, the next one looks again. */
  packets(): readonly PodPacket[] {
    const packets = this.#packets ?? [];
    if (packets.length === 0) this.#packets = null;
    return packets;
  }

  /** Whether elements may differ. */
  get isPending(): boolean {
    return this.#sets.arePending;
  }

  serve(families: readonly IpFamily[]): void {
    this.#families = families;
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
    this.#packets ??= this.#packetsOf(program);
    const v4 = this.#chains("v4", known.v4, program, keeping);
    const v6 = this.#chains("v6", known.v6, program, keeping);
    const places = this.#sets.take(v4.isKept || v6.isKept);
    const of = (family: IpFamily, { chains, used }: FamilyChains): FamilyWrite => {
      if (!this.#families.includes(family)) return { chains, sets: noSetChanges, used };
      const sets = this.#sets.changes(family, known[family].sets, places);
      return { chains, sets, used: used.union(this.#sets.names(family)) };
    };
    const writes = { v4: of("v4", v4), v6: of("v6", v6) };
    return { writes, concerned: this.#sets.concernedBy(places) };
  }

  /** The one before, where no policy is another than then. */
  #programOf(policies: readonly Policy[]): FilterProgram {
    const last = this.#last;
    if (last !== null && isSameList(last.policies, policies)) return last.program;
    const program = lower(policies);
    this.#sets.follow(program);
    this.#packets = null;
    this.#last = { policies, program, desired: {} };
    return program;
  }

  #desired(family: IpFamily, program: FilterProgram): readonly ChainText[] {
    const known = this.#last?.desired[family];
    if (known !== undefined) return known;
    const desired = chainTexts(program, family, this.#form);
    refuseTwice([
      ...desired.map(({ name }) => name),
      ...nodeSetsOf(program).map((set) => headOf(set, family).name),
    ]);
    if (this.#last !== null) this.#last.desired[family] = desired;
    return desired;
  }

  #numbered(
    family: IpFamily,
    chains: readonly ChainText[],
    actual: ActualFilter["chains"],
  ): readonly ChainText[] {
    const form = this.#form;
    if (form.established === "keep") return chains;
    return withGeneration(chains, actual, (number) => hookChains(family, form, marksOf(form), number));
  }

  #chains(
    family: IpFamily,
    { chains: actual, madeOf }: ActualFilter,
    program: FilterProgram,
    { owners, keeps }: Keeping,
  ): FamilyChains {
    if (!this.#families.includes(family)) return noChains;
    const desired = this.#desired(family, program);
    // What this program has written has nothing else.
    if (madeOf !== null && madeOf === (this.#made.get(desired) ?? desired))
      return { ...noChains, chains: madeOf };
    const chains = withKeptChains(desired, actual, (owner) => owners.of(owner).some(keeps));
    if (chains !== desired)
      return { chains: this.#numbered(family, chains, actual), used: setsNamedIn(chains), isKept: true };
    // Where no policy says anything, nothing is written.
    if (program.egress.length + program.ingress.length === 0) return noChains;
    const numbered = this.#numbered(family, chains, actual);
    this.#made.set(desired, numbered);
    return { ...noChains, chains: numbered };
  }
}

/** Names are hashes, so that two things may have one. */
function refuseTwice(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name))
      throw new FilterRefusedError(`the name ${name} stands for two different things of the policies`);
    seen.add(name);
  }
}

function setsNamedIn(chains: readonly ChainText[]): ReadonlySet<string> {
  const names = chains.flatMap(({ rules }) =>
    rules.flatMap((rule) => Array.from(rule.matchAll(/--match-set (\S+)/g), ([, name = ""]) => name)),
  );
  return new Set(names);
}
