// The Northbound backend: desired rows of every policy on one side, the session's cache on the other, and between them
// dirt: where the two may differ. A commit plans all dirt against the cache and writes one transaction, or as few as
// its size allows; a refused one is split until the policy that the database refuses is found.

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Session } from "../ovsdb/session.ts";
import type { Operation } from "../ovsdb/operation.ts";
import type { Uuid } from "../ovsdb/description.ts";
import { ConnectionLostError, TransactionError } from "../ovsdb/errors.ts";
import type { IpFamily } from "../model/ip.ts";
import type { Problem } from "../model/problem.ts";
import type { Backend, CommitOutcome } from "../policy/backend.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { Edges, Membership } from "../policy/membership.ts";
import { Actual } from "./actual.ts";
import type { UnmatchedPort } from "./content.ts";
import { Content } from "./content.ts";
import type { Rendering } from "./desired.ts";
import { Desired } from "./desired.ts";
import { Dirt } from "./dirt.ts";
import { noteChange } from "./drift.ts";
import { portOfPod } from "./names.ts";
import { markDifference } from "./difference.ts";
import { planPolicy } from "./plan.ts";
import type { Northbound } from "./schema.ts";

export interface NorthboundBackendOptions {
  readonly session: Session<Northbound>;
  readonly membership: Membership;
  /** Kinds of policy whose rows this program owns. */
  readonly kinds: ReadonlySet<string>;
  /** The node whose database it is; null: one database for all nodes. */
  readonly zone: string | null;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether a policy that was never seen may exist all the same, unreadable: then its rows are not swept. */
  readonly mayExist: (key: PolicyKey) => boolean;
  /** Hears of every transaction that the database acknowledged, and how long it took. */
  readonly committed?: (operations: readonly Operation[], milliseconds: number) => void;
}

/** Elements and rows in one transaction, so that a large start does not starve the server's other clients. */
const transactionWeight = 100_000;
/** Rounds of one commit: our own writes come back once as changes; more rounds mean that someone else writes too. */
const roundsPerCommit = 4;

/** Refusals that say nothing about the rows: the server's own trouble, RFC 7047 section 4.1.3. */
const serverTrouble: ReadonlySet<string> = new Set([
  "I/O error",
  "resources exhausted",
  "canceled",
  "not owner",
]);

interface Batch {
  readonly keys: readonly PolicyKey[];
  readonly operations: readonly Operation[];
}

export class NorthboundBackend implements Backend {
  readonly #options: NorthboundBackendOptions;
  readonly #desired: Desired;
  readonly #dirt = new Dirt();
  readonly #actual: Actual;
  readonly #content: Content;
  readonly #frozen = new Set<PolicyKey>();
  /** Policies that were seen and went: nothing protects their rows. */
  readonly #removed = new Set<PolicyKey>();
  /** Owners of rows that were spared because they may exist unseen. */
  readonly #spared = new Set<PolicyKey>();
  readonly #refused = new Set<PolicyKey>();
  /** Spared owners that were logged. */
  readonly #told = new Set<PolicyKey>();
  readonly #lost = new Map<string, Uuid>();
  #filled = false;
  #committing = false;
  #work: () => void = () => undefined;
  #names = 0;

  constructor(options: NorthboundBackendOptions) {
    this.#options = options;
    this.#desired = new Desired(options.zone);
    this.#actual = new Actual(options.session.cache, options.kinds);
    this.#content = new Content(options.membership, options.zone);
    const drift = {
      kinds: options.kinds,
      membership: options.membership,
      desired: this.#desired,
      actual: this.#actual,
      dirt: this.#dirt,
      lost: this.#lost,
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
    this.#frozen.delete(policy.key);
    this.#removed.delete(policy.key);
    // What was refused is not in the database, however little differs from what was rendered before.
    if (this.#refused.delete(policy.key)) this.#dirt.markWhole(policy.key);
    this.#markRendered(this.#desired.upsert(policy));
  }

  remove(key: PolicyKey): void {
    this.#desired.remove(key);
    this.#frozen.delete(key);
    this.#refused.delete(key);
    this.#removed.add(key);
    this.#dirt.markWhole(key);
  }

  freeze(key: PolicyKey): void {
    this.#frozen.add(key);
  }

  retry(key: PolicyKey): void {
    if (this.#refused.delete(key)) this.#dirt.markWhole(key);
  }

  touch(edges: Edges): void {
    for (const [group, { addresses, pods, namedPorts }] of edges) {
      for (const { policy, set } of addresses.size === 0 ? [] : this.#desired.addressSetsOf(group)) {
        const dirt = this.#dirt.of(policy);
        for (const address of addresses) dirt.address(set.name, address);
      }
      for (const { rows } of pods.size === 0 ? [] : this.#desired.subjectOf(group)) {
        const dirt = this.#dirt.of(rows.policy);
        for (const key of pods) dirt.port(portOfPod(key));
      }
      for (const { policy, named } of namedPorts.size === 0 ? [] : this.#desired.namedPortsOf(group)) {
        if (named.portNames.some((name) => namedPorts.has(name))) this.#dirt.of(policy).namedPorts.add(named);
      }
    }
  }

  /** The policy's named ports that no container port of its destinations has. */
  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[] {
    const named = this.#desired.get(key)?.rows.namedPortRules ?? [];
    return named.flatMap((rule) => this.#content.unmatchedPorts(rule));
  }

  async commit(): Promise<CommitOutcome> {
    const settled = new Set<PolicyKey>();
    const refused = new Map<PolicyKey, Problem>();
    for (const key of this.#spared) if (!this.#isSpared(key)) this.#dirt.markWhole(key);
    this.#spared.clear();
    this.#committing = true;
    try {
      for (let round = 0; round < roundsPerCommit && this.#dirt.size > 0; round++) {
        const interrupted = await this.#commitDirt(settled, refused);
        if (interrupted !== null) return { settled: [...settled], refused, interrupted };
      }
    } finally {
      this.#committing = false;
    }
    if (this.#dirt.size > 0) this.#work();
    return { settled: [...settled], refused, interrupted: null };
  }

  /** Rows that nobody desires stay while their policy is there but not understood, or may be there unseen. */
  #isSpared(key: PolicyKey): boolean {
    return this.#frozen.has(key) || (!this.#removed.has(key) && this.#options.mayExist(key));
  }

  #spare(key: PolicyKey): void {
    this.#spared.add(key);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#options.logger.warn("rows of a policy that cannot be read stay as they are", { policy: key });
  }

  #markRendered({ before, after }: Rendering): void {
    if (before === null) this.#dirt.markWhole(after.policy);
    else markDifference(before, after, this.#dirt.of(after.policy));
  }

  /** Returns why it stopped early, or null. */
  async #commitDirt(settled: Set<PolicyKey>, refused: Map<PolicyKey, Problem>): Promise<string | null> {
    const waiting = [...this.#dirt.keys()];
    while (waiting.length > 0) {
      if (!this.ready) return "not connected to the Northbound database";
      const batch = this.#plan(waiting);
      const interrupted = await this.#write(batch, settled, refused);
      if (interrupted !== null) return interrupted;
    }
    return null;
  }

  /** Takes policies off the list until their operations make a transaction. Reads facts and plans without a pause. */
  #plan(waiting: PolicyKey[]): Batch {
    const keys: PolicyKey[] = [];
    const operations: Operation[] = [];
    this.#names = 0;
    for (let weight = 0; weight < transactionWeight;) {
      const key = waiting.shift();
      if (key === undefined) break;
      const dirt = this.#dirt.take(key);
      const state = this.#desired.get(key);
      if (dirt === null || this.#refused.has(key)) continue;
      if (state === null && this.#isSpared(key)) {
        this.#spare(key);
        continue;
      }
      const plan = planPolicy(key, state, dirt, {
        actual: this.#actual,
        content: this.#content,
        lost: this.#lost,
        newName: () => `row${this.#names++}`,
      });
      keys.push(key);
      operations.push(...plan.operations);
      weight += plan.weight;
    }
    return { keys, operations };
  }

  async #write(
    batch: Batch,
    settled: Set<PolicyKey>,
    refused: Map<PolicyKey, Problem>,
  ): Promise<string | null> {
    try {
      if (batch.operations.length > 0) await this.#transact(batch.operations);
      for (const key of batch.keys) settled.add(key);
      return null;
    } catch (error) {
      for (const key of batch.keys) this.#dirt.markWhole(key);
      if (error instanceof ConnectionLostError) return error.message;
      if (!(error instanceof TransactionError)) throw error;
      if (serverTrouble.has(error.kind)) return error.message;
      return await this.#split(batch.keys, error, settled, refused);
    }
  }

  async #transact(operations: readonly Operation[]): Promise<void> {
    const { session, clock, committed } = this.#options;
    const started = clock.now();
    await session.transact(operations);
    committed?.(operations, clock.now() - started);
  }

  /** Halves a refused batch until the policies that the database refuses stand alone; the others land. */
  async #split(
    keys: readonly PolicyKey[],
    error: TransactionError,
    settled: Set<PolicyKey>,
    refused: Map<PolicyKey, Problem>,
  ): Promise<string | null> {
    const [only] = keys;
    if (only !== undefined && keys.length === 1) {
      this.#refused.add(only);
      this.#dirt.take(only);
      settled.delete(only);
      refused.set(only, refusal(error));
      this.#options.logger.warn("the Northbound database refused a policy's rows", {
        policy: only,
        error: error.message,
      });
      return null;
    }
    const middle = Math.ceil(keys.length / 2);
    for (const half of [keys.slice(0, middle), keys.slice(middle)]) {
      const waiting = [...half];
      while (waiting.length > 0) {
        const interrupted = await this.#write(this.#plan(waiting), settled, refused);
        if (interrupted !== null) return interrupted;
      }
    }
    return null;
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

/** Without the uuids of rows, which differ with every try: the same refusal is told once. */
function refusal(error: TransactionError): Problem {
  const reason = error.message.replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "(uuid)");
  return {
    code: "RowRefused",
    severity: "error",
    field: "",
    message: `the Northbound database refused the rows: ${reason}`,
  };
}
