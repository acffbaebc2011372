// The backend of a node's packet filter. It holds the desired policies and which of them the filter may not have; a commit compiles
// them, compares with what the node has, and writes the difference. What the tools refuse is written in halves, until each policy that
// is refused is alone; its chains of before stay.

import { writeHalving } from "../../contents/halving.ts";
import { SweepGuard } from "../../contents/sweep-guard.ts";
import { undeclaredPorts } from "../../contents/undeclared-ports.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { ObjectKind } from "../../model/object.ts";
import { shownAmong } from "../../model/object.ts";
import type { Problem } from "../../model/problem.ts";
import type { Backend, CommitOutcome, Refusal } from "../../policy/contracts/backend.ts";
import type { Edges } from "../../policy/contracts/membership.ts";
import type { Unenforced } from "../../policy/contracts/unenforced.ts";
import type { UnmatchedPort } from "../../policy/contracts/unmatched-port.ts";
import type { Policy, PolicyKey } from "../../policy/ir.ts";
import { refusalsOf } from "../admission.ts";
import { countsOf } from "./actual.ts";
import type { CompilerOptions, Keeping } from "./compiler.ts";
import { FilterCompiler } from "./compiler.ts";
import { FilterSight } from "./filter-sight.ts";
import { FilterLostError, isOfTools } from "./filter-tools.ts";
import type { FilterWrites, LiveFilter } from "./live-filter.ts";
import type { PodPacket } from "./pod-packets.ts";
import { RuleOwners } from "./rule-owners.ts";

export interface NetfilterBackendOptions extends CompilerOptions {
  readonly filter: LiveFilter;
  /** The kinds of policy that log lines name. */
  readonly kinds: readonly ObjectKind[];
  readonly logger: Logger;
  /** Whether a policy that was never read may still exist: then its chains are not removed. */
  readonly mayExist: (key: PolicyKey) => boolean;
  readonly clock: Clock;
  /** Whether this program is the node's one writer. Unless given, it is. */
  readonly isWriter?: () => boolean;
  /** Is called when the filter is known, also again after it was not. */
  readonly known?: () => void;
  /** Is called after every write, with its duration. */
  readonly committed?: (milliseconds: number) => void;
}

/** Why an attempt was not written. */
interface Failed {
  readonly kind: "refused" | "stopped";
  readonly why: string;
}

export class NetfilterBackend implements Backend {
  /** The readings of the node's filter. */
  readonly sight: FilterSight;
  readonly #options: NetfilterBackendOptions;
  readonly #guard: SweepGuard;
  readonly #compiler: FilterCompiler;
  readonly #desired = new Map<PolicyKey, Policy>();
  /** Policies as they are in the filter. */
  readonly #landed = new Map<PolicyKey, Policy>();
  readonly #pending = new Set<PolicyKey>();
  readonly #refused = new Set<PolicyKey>();
  #isToCompare = true;
  #bypassed: readonly string[] = [];
  #work: () => void = () => undefined;

  constructor(options: NetfilterBackendOptions) {
    const { filter, kinds, mayExist, logger, known = () => undefined } = options;
    this.#options = options;
    this.#guard = new SweepGuard(mayExist, logger, shownAmong(kinds));
    this.#compiler = new FilterCompiler(options);
    const changed = (): void => {
      this.lookAtAll();
    };
    this.sight = new FilterSight({ filter, known, changed });
  }

  get ready(): boolean {
    return this.sight.isClear && !this.isStandby;
  }

  get isStandby(): boolean {
    return this.#options.isWriter?.() === false;
  }

  /** Why traffic of pods passes no rule, one sentence each. */
  get bypassed(): readonly string[] {
    return this.#bypassed;
  }

  /** A few that pods of the policies may send. */
  packets(): readonly PodPacket[] {
    return this.#compiler.packets();
  }

  holdsRows(): boolean {
    const { chains, sets } = countsOf(this.#options.filter.known);
    return chains + sets > 0;
  }

  onWork(callback: () => void): void {
    this.#work = callback;
  }

  serve(families: readonly IpFamily[]): void {
    this.#compiler.serve(families);
    this.#compareAll();
  }

  admit(policy: Policy): readonly Refusal[] {
    return refusalsOf(policy);
  }

  upsert(policy: Policy): void {
    this.#guard.understood(policy.key);
    this.#desired.set(policy.key, policy);
    this.#mark(policy.key);
  }

  remove(key: PolicyKey): void {
    this.#guard.removed(key);
    this.#desired.delete(key);
    this.#mark(key);
  }

  /** Every tier has a chain of its own: no rule is without a place for want of one. */
  takeContested(): readonly PolicyKey[] {
    return [];
  }

  freeze(key: PolicyKey): void {
    this.#guard.freeze(key);
  }

  retry(key: PolicyKey): void {
    if (this.#refused.has(key)) this.#mark(key);
  }

  touch(edges: Edges): void {
    this.#compiler.touch(edges);
  }

  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[] {
    const policy = this.#desired.get(key);
    return policy === undefined ? [] : undeclaredPorts(policy, this.#options.membership);
  }

  /** The same for every policy. */
  unenforced(): Unenforced | null {
    const [message] = this.#bypassed;
    return message === undefined ? null : { reason: "RulesBypassed", message };
  }

  bypassedFor(reasons: readonly string[]): void {
    const isOther = this.#bypassed.join("\n") !== reasons.join("\n");
    this.#bypassed = reasons;
    if (isOther) this.#work();
  }

  /** What the filter has, or whether this program writes, may be another: everything is compared. */
  lookAtAll(): void {
    this.#compareAll();
    this.#work();
  }

  commit(): Promise<CommitOutcome> {
    return this.sight.whileWriting(() => this.#commit());
  }

  async #commit(): Promise<CommitOutcome> {
    const refused = new Map<PolicyKey, Problem>();
    if (!this.ready) return { settled: [], refused, interrupted: this.sight.failure };
    for (const key of this.#guard.released()) this.#pending.add(key);
    const units = [...this.#pending];
    const settled = new Set<PolicyKey>();
    if (units.length > 0 || this.#isToCompare || this.#compiler.isPending) {
      const interrupted = await this.#writeAll(units, settled, refused);
      for (const key of refused.keys()) settled.delete(key);
      return { settled: [...settled], refused, interrupted };
    }
    return { settled: [], refused, interrupted: null };
  }

  /** Resolves with why it stopped early; null: the rest is written, or refused alone. */
  async #writeAll(
    units: readonly PolicyKey[],
    settled: Set<PolicyKey>,
    refused: Map<PolicyKey, Problem>,
  ): Promise<string | null> {
    const write = (some: readonly PolicyKey[]) => this.#attempt(new Set(some), settled);
    // What no policy's edit causes is no policy's fault.
    if (units.length === 0) return (await write([]))?.why ?? null;
    return writeHalving<PolicyKey, string>(units, {
      write: async (some) => {
        const failed = await write(some);
        return failed === null ? { kind: "written" } : { ...failed, units: some };
      },
      refuse: (key, message) => {
        this.#pending.delete(key);
        this.#refused.add(key);
        refused.set(key, { code: "RowRefused", severity: "error", field: "", message });
      },
    });
  }

  #mark(key: PolicyKey): void {
    this.#refused.delete(key);
    this.#pending.add(key);
  }

  #compareAll(): void {
    this.#isToCompare = true;
    this.#compiler.lookAtAll();
  }

  /** null: the policies are in the filter in their present form, and those of before as they are desired. */
  async #attempt(units: ReadonlySet<PolicyKey>, settled: Set<PolicyKey>): Promise<Failed | null> {
    const { known } = this.#options.filter;
    if (known === null) return { kind: "stopped", why: this.sight.failure };
    const policies = this.#chosen(units);
    const keeping = this.#keeping(policies, units);
    try {
      const { writes, concerned } = this.#compiler.compile(policies.values(), known, keeping);
      await this.#write(writes);
      this.#landedNow(policies, units);
      for (const key of [...units, ...concerned]) settled.add(key);
      return null;
    } catch (error) {
      return await this.#failed(error);
    }
  }

  /** These in their present form, and what is in the filter as it is desired. */
  #chosen(units: ReadonlySet<PolicyKey>): ReadonlyMap<PolicyKey, Policy> {
    const isChosen = ([key, policy]: readonly [PolicyKey, Policy]): boolean =>
      units.has(key) || this.#landed.get(key) === policy;
    return new Map(Iterator.from(this.#desired).filter(isChosen));
  }

  #keeping(policies: ReadonlyMap<PolicyKey, Policy>, units: ReadonlySet<PolicyKey>): Keeping {
    const isLater = (key: PolicyKey): boolean => this.#pending.has(key) || this.#refused.has(key);
    return {
      owners: new RuleOwners([...this.#pending, ...this.#refused, ...units]),
      keeps: (key) => !policies.has(key) && !units.has(key) && (isLater(key) || this.#guard.spares(key)),
    };
  }

  async #write(writes: FilterWrites): Promise<void> {
    const { filter, clock, logger, committed } = this.#options;
    const begun = clock.now();
    const left = await filter.write(writes, () => {
      committed?.(clock.now() - begun);
    });
    if (left !== null) logger.warn("sets that no rule of ours names cannot be removed", { reason: left });
  }

  #landedNow(policies: ReadonlyMap<PolicyKey, Policy>, units: ReadonlySet<PolicyKey>): void {
    for (const key of units) {
      const written = policies.get(key);
      if (written === undefined) this.#landed.delete(key);
      else this.#landed.set(key, written);
      // It may have been edited since.
      if (this.#desired.get(key) === written) this.#pending.delete(key);
    }
    this.#isToCompare = false;
  }

  async #failed(error: unknown): Promise<Failed> {
    if (!isOfTools(error)) throw error;
    if (error instanceof FilterLostError) return this.#lost(error);
    try {
      // Some of it may be in force.
      await this.#options.filter.read();
    } catch (later) {
      if (isOfTools(later)) return this.#lost(later);
      throw later;
    }
    this.#compareAll();
    return { kind: "refused", why: error.message };
  }

  /** It is read again, and compared as a whole. */
  #lost(error: Error): Failed {
    this.sight.lost(error);
    return { kind: "stopped", why: error.message };
  }
}
