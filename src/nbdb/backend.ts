// The Northbound backend: desired rows of every policy on one side, the session's cache on the other, and between them
// what is pending: where the two may differ. A commit plans all of it against the cache and writes one transaction, or as few as
// its size allows; a refused one is split until the policy that the database refuses is found.

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Operation } from "../ovsdb/operation.ts";
import type { Session } from "../ovsdb/session.ts";
import type { Uuid } from "../ovsdb/description.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { Problem } from "../model/problem.ts";
import type { Backend, CommitOutcome } from "../policy/backend.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { Edges, Membership } from "../policy/membership.ts";
import type { UnmatchedPort } from "../policy/unmatched-port.ts";
import { Actual } from "./actual/actual.ts";
import { planPrewrite, prewriteWeight } from "./plan/prewrite.ts";
import type { Prewrite, Committed } from "./write/committer.ts";
import { Committer } from "./write/committer.ts";
import { Content } from "./desired/content.ts";
import type { Rendering } from "./desired/desired.ts";
import { Desired } from "./desired/desired.ts";
import { SetContents } from "./desired/set-contents.ts";
import { Pending } from "./pending.ts";
import { InFlight } from "./actual/in-flight.ts";
import { noteChange } from "./actual/drift.ts";
import { portOfPod } from "./rows/names.ts";
import { markDifference } from "./desired/difference.ts";
import { planPolicy } from "./plan/plan.ts";
import type { PlanContext } from "./plan/context.ts";
import { SweepGuard } from "./actual/sweep-guard.ts";
import type { RenderMode } from "./rows/render.ts";
import type { Northbound } from "./rows/schema.ts";

export interface NorthboundBackendOptions extends RenderMode {
  readonly session: Session<Northbound>;
  readonly membership: Membership;
  /** Kinds of policy whose rows this program owns. */
  readonly kinds: ReadonlySet<string>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether a policy that was never seen may exist all the same, unreadable: then its rows are not swept. */
  readonly mayExist: (key: PolicyKey) => boolean;
  readonly committed?: Committed;
  /** Above how many elements and rows a commit's new rows are written ahead of it, in transactions of no more. */
  readonly transactionWeight?: number;
}

/** Rounds of one commit: our own writes come back once as changes; more rounds mean that someone else writes too. */
const roundsPerCommit = 4;

export class NorthboundBackend implements Backend {
  readonly #options: NorthboundBackendOptions;
  readonly #desired: Desired;
  readonly #pending = new Pending();
  readonly #actual: Actual;
  readonly #content: Content;
  readonly #sweepGuard: SweepGuard;
  readonly #committer: Committer;
  /** Refused by the database, until they are tried again. */
  readonly #refused = new Set<PolicyKey>();
  readonly #lost = new Map<string, Uuid>();
  readonly #inFlight = new InFlight();
  #contents: SetContents;
  #filled = false;
  #committing = false;
  #work: () => void = () => undefined;

  constructor(options: NorthboundBackendOptions) {
    this.#options = options;
    this.#desired = new Desired(options);
    this.#actual = new Actual(options.session.cache, options.kinds);
    this.#content = new Content(options.membership, options.zone, true);
    this.#contents = new SetContents(options.membership, this.#content.namedPorts);
    this.#sweepGuard = new SweepGuard(options.mayExist, options.logger);
    this.#committer = new Committer({
      ...options,
      plan: (key, name) => this.#plan(key, name),
      prewrite: (key, name) => this.#prewrite(key, name),
      expect: (operations) => {
        this.#inFlight.expect(operations);
      },
      markPending: (key) => {
        this.#pending.markWhole(key);
      },
    });
    const drift = {
      kinds: options.kinds,
      membership: options.membership,
      desired: this.#desired,
      actual: this.#actual,
      pending: this.#pending,
      lost: this.#lost,
      inFlight: this.#inFlight,
    };
    options.session.subscribe({
      ready: () => {
        this.#fill();
      },
      changed: (changes) => {
        // Before the first fill all of the cache is new; #fill looks at everything once.
        if (!this.#filled) return;
        for (const change of changes) noteChange(change, drift);
        if (this.#pending.size > 0 && !this.#committing) this.#work();
      },
    });
    if (options.session.ready) this.#fill();
  }

  get ready(): boolean {
    return this.#options.session.ready;
  }

  /** The rows of ours that the database has. */
  get actual(): Actual {
    return this.#actual;
  }

  onWork(callback: () => void): void {
    this.#work = callback;
  }

  serve(families: readonly IpFamily[]): void {
    for (const rendering of this.#desired.serve(families)) this.#markRendered(rendering);
  }

  upsert(policy: Policy): void {
    this.#sweepGuard.understood(policy.key);
    // What was refused is not in the database, however little differs from what was rendered before.
    this.retry(policy.key);
    this.#markRendered(this.#desired.upsert(policy));
    this.#forgetUnused();
  }

  remove(key: PolicyKey): void {
    this.#sweepGuard.removed(key);
    this.#desired.remove(key);
    this.#forgetUnused();
    this.#refused.delete(key);
    this.#pending.markWhole(key);
  }

  freeze(key: PolicyKey): void {
    this.#sweepGuard.freeze(key);
  }

  retry(key: PolicyKey): void {
    if (this.#refused.delete(key)) this.#pending.markWhole(key);
  }

  touch(edges: Edges): void {
    for (const [group, { addresses, pods, namedPorts }] of edges) {
      for (const [name, at] of namedPorts) this.#content.namedPorts.lists.touch(group, name, at);
      const ofFamily = Map.groupBy(addresses, familyOf);
      for (const { policy, family, name } of addresses.size === 0 ? [] : this.#desired.addressSetsOf(group)) {
        const touched = ofFamily.get(family);
        if (touched !== undefined) this.#pending.of(policy).addressSets.mark(name, touched);
      }
      for (const { rows } of pods.size === 0 ? [] : this.#desired.subjectOf(group)) {
        const pending = this.#pending.of(rows.policy);
        for (const key of pods) pending.port(portOfPod(key));
      }
      for (const named of namedPorts.size === 0 ? [] : this.#desired.namedPortsOf(group)) {
        const touched = named.portNames.filter((name) => namedPorts.has(name));
        for (const name of touched)
          this.#pending.of(named.policy.key).namedPorts.mark(named, namedPorts.get(name) ?? new Set());
      }
    }
  }

  /** The policy's named ports that no container port of its destinations has. */
  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[] {
    const named = this.#desired.get(key)?.namedPortRules() ?? [];
    return named.flatMap((query) => {
      const names = this.#content.namedPorts.unmatched(query);
      return names.map((name) => ({ direction: query.direction, index: query.rule.index, name }));
    });
  }

  async commit(): Promise<CommitOutcome> {
    const ledger = { settled: new Set<PolicyKey>(), refused: new Map<PolicyKey, Problem>() };
    for (const key of this.#sweepGuard.released()) this.#pending.markWhole(key);
    let interrupted: string | null = null;
    this.#committing = true;
    try {
      for (
        let round = 0;
        round < roundsPerCommit && this.#pending.size > 0 && interrupted === null;
        round++
      ) {
        interrupted = await this.#committer.commit([...this.#pending.keys()], ledger);
        for (const key of ledger.refused.keys()) {
          this.#refused.add(key);
          this.#pending.take(key);
        }
      }
    } finally {
      this.#committing = false;
      this.#inFlight.clear();
      // Members may change from now on.
      this.#contents = new SetContents(this.#options.membership, this.#content.namedPorts);
    }
    if (interrupted === null && this.#pending.size > 0) this.#work();
    return { settled: [...ledger.settled], refused: ledger.refused, interrupted };
  }

  #plan(key: PolicyKey, newName: () => string): readonly Operation[] | null {
    const pending = this.#pending.take(key);
    const state = this.#desired.get(key);
    if (pending === null || this.#refused.has(key)) return null;
    if (state === null && this.#sweepGuard.spares(key)) return null;
    return planPolicy(key, state, pending, this.#context(newName));
  }

  #prewrite(key: PolicyKey, newName: () => string): Prewrite | null {
    const state = this.#desired.get(key);
    if (state === null || !this.#pending.isWhole(key) || this.#refused.has(key)) return null;
    const context = this.#context(newName);
    return { weight: prewriteWeight(state, context), pieces: planPrewrite(state, context) };
  }

  #context(newName: () => string): PlanContext {
    return {
      actual: this.#actual,
      content: this.#content,
      contents: this.#contents,
      lost: this.#lost,
      inFlight: this.#inFlight,
      newName,
    };
  }

  #forgetUnused(): void {
    this.#content.namedPorts.lists.keepOnly((group) => this.#desired.namedPortsOf(group).size > 0);
  }

  #markRendered(rendering: Rendering): void {
    markDifference(rendering, this.#pending.of(rendering.after.policy));
  }

  /** The cache is full: at the first time everything is looked at, rows that nobody desires included. */
  #fill(): void {
    if (!this.#filled) {
      this.#filled = true;
      for (const key of this.#desired.keys()) this.#pending.markWhole(key);
      for (const key of this.#actual.owners()) this.#pending.markWhole(key);
    }
    this.#work();
  }
}
