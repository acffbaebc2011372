// The Northbound backend: desired rows of every policy on one side, the session's cache on the other, and between them
// dirt: where the two may differ. A commit plans all dirt against the cache and writes one transaction, or as few as
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
import { Actual } from "./actual.ts";
import { AddressLists } from "./address-lists.ts";
import { planAhead, weightAhead } from "./ahead.ts";
import type { Ahead, Committed } from "./committer.ts";
import { Committer } from "./committer.ts";
import { Content } from "./content.ts";
import type { Rendering } from "./desired.ts";
import { Desired } from "./desired.ts";
import { Dirt } from "./dirt.ts";
import { Echoes } from "./echoes.ts";
import { noteChange } from "./drift.ts";
import type { UnmatchedPort } from "./named-ports.ts";
import { portOfPod } from "./names.ts";
import { markDifference } from "./difference.ts";
import { planPolicy } from "./plan.ts";
import type { PlanContext } from "./plan-context.ts";
import { Protection } from "./protection.ts";
import type { Manner } from "./render.ts";
import type { Northbound } from "./schema.ts";

export interface NorthboundBackendOptions extends Manner {
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
  readonly #dirt = new Dirt();
  readonly #actual: Actual;
  readonly #content: Content;
  readonly #protection: Protection;
  readonly #committer: Committer;
  /** Refused by the database, until they are tried again. */
  readonly #refused = new Set<PolicyKey>();
  readonly #lost = new Map<string, Uuid>();
  readonly #echoes = new Echoes();
  #addresses: AddressLists;
  #filled = false;
  #committing = false;
  #work: () => void = () => undefined;

  constructor(options: NorthboundBackendOptions) {
    this.#options = options;
    this.#desired = new Desired(options);
    this.#actual = new Actual(options.session.cache, options.kinds);
    this.#content = new Content(options.membership, options.zone, true);
    this.#addresses = new AddressLists(options.membership, this.#content.namedPorts);
    this.#protection = new Protection(options.mayExist, options.logger);
    this.#committer = new Committer({
      ...options,
      plan: (key, name) => this.#plan(key, name),
      ahead: (key, name) => this.#ahead(key, name),
      expect: (operations) => {
        this.#echoes.expect(operations);
      },
      soil: (key) => {
        this.#dirt.markWhole(key);
      },
    });
    const drift = {
      kinds: options.kinds,
      membership: options.membership,
      desired: this.#desired,
      actual: this.#actual,
      dirt: this.#dirt,
      lost: this.#lost,
      echoes: this.#echoes,
    };
    options.session.subscribe({
      ready: () => {
        this.#fill();
      },
      changed: (changes) => {
        // Before the first fill all of the cache is new; #fill looks at everything once.
        if (!this.#filled) return;
        for (const change of changes) noteChange(change, drift);
        if (this.#dirt.size > 0 && !this.#committing) this.#work();
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
    this.#protection.understood(policy.key);
    // What was refused is not in the database, however little differs from what was rendered before.
    this.retry(policy.key);
    this.#markRendered(this.#desired.upsert(policy));
    this.#forgetUnused();
  }

  remove(key: PolicyKey): void {
    this.#protection.removed(key);
    this.#desired.remove(key);
    this.#forgetUnused();
    this.#refused.delete(key);
    this.#dirt.markWhole(key);
  }

  freeze(key: PolicyKey): void {
    this.#protection.freeze(key);
  }

  retry(key: PolicyKey): void {
    if (this.#refused.delete(key)) this.#dirt.markWhole(key);
  }

  touch(edges: Edges): void {
    for (const [group, { addresses, pods, namedPorts }] of edges) {
      for (const [name, at] of namedPorts) this.#content.namedPorts.lists.touch(group, name, at);
      const ofFamily = Map.groupBy(addresses, familyOf);
      for (const { policy, family, name } of addresses.size === 0 ? [] : this.#desired.addressSetsOf(group)) {
        const touched = ofFamily.get(family);
        if (touched !== undefined) this.#dirt.of(policy).addresses(name, touched);
      }
      for (const { rows } of pods.size === 0 ? [] : this.#desired.subjectOf(group)) {
        const dirt = this.#dirt.of(rows.policy);
        for (const key of pods) dirt.port(portOfPod(key));
      }
      for (const named of namedPorts.size === 0 ? [] : this.#desired.namedPortsOf(group)) {
        const touched = named.portNames.filter((name) => namedPorts.has(name));
        for (const name of touched)
          this.#dirt.of(named.policy.key).namedPort(named, namedPorts.get(name) ?? new Set());
      }
    }
  }

  /** The policy's named ports that no container port of its destinations has. */
  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[] {
    const named = this.#desired.get(key)?.namedPortRules() ?? [];
    return named.flatMap((rule) => this.#content.namedPorts.unmatched(rule));
  }

  async commit(): Promise<CommitOutcome> {
    const ledger = { settled: new Set<PolicyKey>(), refused: new Map<PolicyKey, Problem>() };
    for (const key of this.#protection.released()) this.#dirt.markWhole(key);
    let interrupted: string | null = null;
    this.#committing = true;
    try {
      for (let round = 0; round < roundsPerCommit && this.#dirt.size > 0 && interrupted === null; round++) {
        interrupted = await this.#committer.commit([...this.#dirt.keys()], ledger);
        for (const key of ledger.refused.keys()) {
          this.#refused.add(key);
          this.#dirt.take(key);
        }
      }
    } finally {
      this.#committing = false;
      this.#echoes.clear();
      // Members may change from now on.
      this.#addresses = new AddressLists(this.#options.membership, this.#content.namedPorts);
    }
    if (interrupted === null && this.#dirt.size > 0) this.#work();
    return { settled: [...ledger.settled], refused: ledger.refused, interrupted };
  }

  #plan(key: PolicyKey, newName: () => string): readonly Operation[] | null {
    const dirt = this.#dirt.take(key);
    const state = this.#desired.get(key);
    if (dirt === null || this.#refused.has(key)) return null;
    if (state === null && this.#protection.spares(key)) return null;
    return planPolicy(key, state, dirt, this.#context(newName));
  }

  #ahead(key: PolicyKey, newName: () => string): Ahead | null {
    const state = this.#desired.get(key);
    if (state === null || !this.#dirt.isWhole(key) || this.#refused.has(key)) return null;
    const context = this.#context(newName);
    return { weight: weightAhead(state, context), pieces: planAhead(state, context) };
  }

  #context(newName: () => string): PlanContext {
    return {
      actual: this.#actual,
      content: this.#content,
      addresses: this.#addresses,
      lost: this.#lost,
      echoes: this.#echoes,
      newName,
    };
  }

  #forgetUnused(): void {
    this.#content.namedPorts.lists.keepOnly((group) => this.#desired.namedPortsOf(group).size > 0);
  }

  #markRendered(rendering: Rendering): void {
    markDifference(rendering, this.#dirt.of(rendering.after.policy));
  }

  /** The cache is full: at the first time everything is looked at, rows that nobody desires included. */
  #fill(): void {
    if (!this.#filled) {
      this.#filled = true;
      for (const key of this.#desired.keys()) this.#dirt.markWhole(key);
      for (const key of this.#actual.owners()) this.#dirt.markWhole(key);
    }
    this.#work();
  }
}
