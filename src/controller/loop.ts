// The level-driven single-threaded loop: keys in, one batch out. Facts change in its passes alone, and not between reading them
// and producing a batch; nothing is written before every source is synced and the backend has its cache. The batch grows while
// a commit is under way and never waits when idle.

import type { Clock, Random } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { ObjectKey, Source, SourceProblem } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Backend, CommitOutcome } from "../policy/contracts/backend.ts";
import type { PolicyKey } from "../policy/ir.ts";
import { isOwnPolicy } from "../policy/outside.ts";
import { ownRefusal } from "./own-refusal.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import type { Groups } from "../groups/index.ts";
import type { Engine, PolicyRecord } from "./engine.ts";
import { EmptySource } from "./empty-source.ts";
import { WrongZone } from "./wrong-zone.ts";
import type { JudgedReference } from "./judged-references.ts";
import { Backoff } from "../lib/backoff.ts";
import { Pace } from "../lib/pace.ts";
import type { Observed } from "./observing.ts";
import { observeDue } from "./observing.ts";
import { KeyedQueue } from "./queue.ts";

/** Receives the results for policies; for status, events, metrics and logs. */
export interface LoopObserver {
  /** The database has the policy's desired rows. Called again whenever a commit has examined those that are its own. */
  settled(record: PolicyRecord): void;
  /** The dialect refused the object, or the database its rows; the earlier version stays in force. */
  refused(record: PolicyRecord, problems: readonly Problem[]): void;
  /** Nothing is written for it, or for any other policy; rows of an earlier version have no effect. */
  heldBack(record: PolicyRecord, why: Unenforced): void;
  /** The object and its rows were removed. */
  removed(key: PolicyKey): void;
  sourceProblem(problem: SourceProblem): void;
  /** What is reported on an object that policies refer to; null: the object was removed. */
  judged(key: ObjectKey, judged: JudgedReference | null): void;
  /** Another program writes from now on, and reports: what this one has reported is not the last word any more. */
  stoodDown(): void;
  /** The engine knows what the sources show. Called in each pass, before anything is written. */
  observed(): void;
  /** One pass: keys taken, and how long from the first read to the end of the commit. */
  passed(keys: number, milliseconds: number): void;
}

export interface LoopOptions {
  readonly source: Source;
  readonly engine: Engine;
  readonly groups: Groups;
  readonly backend: Backend;
  readonly observer: LoopObserver;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for our own bugs: the program must end, because its further writes cannot be trusted. */
  readonly fatal: (error: unknown) => void;
  /** A source without a single object is accepted: existing rows are removed. */
  readonly allowEmpty: boolean;
  /** Why no pod can be of the program's zone; null: nothing says so, or it is meant. Asked when all has been observed. */
  readonly zoneFault: () => Unenforced | null;
  /** Whether an object that it has enqueued must be read first. Called in each pass, when the engine knows what the sources show. */
  readonly waits?: () => boolean;
}

export class Loop {
  readonly #options: LoopOptions;
  readonly #queue: KeyedQueue<ObjectKey>;
  readonly #trouble: Backoff;
  readonly #emptySource: EmptySource;
  readonly #wrongZone: WrongZone;
  #synced = false;
  #hasObserved = false;
  #reconciled = false;
  #stoodBy = false;
  #running = false;
  #again = false;
  #stopped = false;
  #revision = 0;
  #idle: Promise<void> = Promise.resolve();

  constructor(options: LoopOptions) {
    this.#options = options;
    const { clock, random, allowEmpty: allowed, zoneFault: fault } = options;
    this.#queue = new KeyedQueue({ clock, random, initialBackoffMs: 500, maxBackoffMs: 60_000 });
    this.#trouble = new Backoff({ initialMs: 500, maxMs: 30_000, random });
    this.#emptySource = new EmptySource({ ...options, allowed });
    this.#wrongZone = new WrongZone({ ...options, fault });
  }

  /** All sources have delivered their first lists, and those are applied. */
  get synced(): boolean {
    return this.#synced;
  }

  /** All objects of the first lists were processed, whichever instance writes: facts are those of the sources, policies are compiled. */
  get hasObserved(): boolean {
    return this.#hasObserved;
  }

  /** The first full comparison has been written. */
  get reconciled(): boolean {
    return this.#reconciled;
  }

  /** Why nothing is written though everything is there to write it; null: nothing is held back. */
  get heldBack(): string | null {
    return this.#emptySource.reason ?? (this.#hasObserved ? this.#wrongZone.reason : null);
  }

  /** Another whenever facts or policies are others than before. */
  get revision(): number {
    return this.#revision;
  }

  get queue(): { readonly size: number; readonly oldestMs: number; readonly delayed: number } {
    return this.#queue;
  }

  start(): void {
    const { source, backend, observer } = this.#options;
    this.#queue.onDue(() => {
      this.#schedule();
    });
    backend.onWork(() => {
      this.#schedule();
    });
    source.start({
      changed: (key) => {
        this.#queue.add(key);
      },
      synced: () => {
        this.#synced = true;
        this.#schedule();
      },
      problem: (problem) => {
        observer.sourceProblem(problem);
      },
    });
  }

  /** What may be written may be more than before, though no object has changed. */
  look(): void {
    this.#schedule();
  }

  /** Resolves when no pass is running and no key is due; keys that wait for a retry may remain. */
  async idle(): Promise<void> {
    while (this.#running) await this.#idle;
  }

  /** Ends after the pass under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#queue.stop();
    await this.#options.source.stop();
    await this.#idle;
  }

  #schedule(): void {
    this.#again = true;
    if (this.#running || this.#stopped) return;
    this.#running = true;
    this.#idle = this.#run().catch((error: unknown) => {
      this.#running = false;
      this.#stopped = true;
      this.#options.fatal(error);
    });
  }

  async #run(): Promise<void> {
    // Leave the caller's stack: callbacks of sources and sessions only ever enqueue.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#again && !this.#stopped) {
      this.#again = false;
      await this.#pass();
    }
    this.#running = false;
  }

  async #pass(): Promise<void> {
    // Until the first lists are applied, a missing fact does not mean an absent object. Then all of them are one pass.
    if (!this.#synced) return;
    const started = this.#options.clock.now();
    const observed = await observeDue({ ...this.#options, queue: this.#queue }, this.#reconciled);
    // In the middle of the first look, when half of what there is may have been looked at.
    if (!this.#stopped) await this.#enforce(observed, started);
  }

  async #enforce({ keys, policies }: Observed, started: number): Promise<void> {
    const { backend, engine, groups, clock, observer, logger } = this.#options;
    const pace = new Pace(clock);
    const { compiled, families, judged } = engine.settle();
    this.#hasObserved = true;
    observer.observed();
    if (keys.length > 0 || compiled.size > 0) this.#revision++;
    const takesOver = this.#takesOver();
    const changed = takesOver ? this.#allPolicies() : policies.union(compiled);
    if (!backend.isStandby)
      for (const [key, verdict] of takesOver ? engine.judged() : judged) observer.judged(key, verdict);
    backend.touch(groups.drain());
    // Not earlier: a policy refused before the rest of the pass may be admitted at its end.
    for (const policy of changed) {
      if (pace.isDue) await pace.rest();
      this.#compiled(policy);
    }
    if (families !== null) logger.info("the IP families of the rows have changed", { families });
    if (this.#queue.size > 0) this.#again = true;
    if (pace.isDue) await pace.rest();
    const { waits = () => false } = this.#options;
    const held = [this.#emptySource.holdsBack(), await this.#isZoneWrong(changed), waits(), !backend.ready];
    if (held.includes(true)) return;
    const outcome = await backend.commit();
    await this.#report(keys, outcome);
    observer.passed(keys.length, clock.now() - started);
  }

  /** Follows whether this program is on standby; returns whether it no longer is. */
  #takesOver(): boolean {
    const { backend, observer } = this.#options;
    const stoodBy = this.#stoodBy;
    this.#stoodBy = backend.isStandby;
    if (!this.#stoodBy) return stoodBy;
    if (!stoodBy) {
      this.#reconciled = false;
      observer.stoodDown();
    }
    return false;
  }

  /** As after a start: refusals that were not reported while this program stood by. */
  #allPolicies(): ReadonlySet<PolicyKey> {
    return new Set(Array.from(this.#options.engine.records(), ({ key }) => key));
  }

  #compiled(policy: PolicyKey): void {
    const { engine, backend, observer } = this.#options;
    backend.retry(policy);
    const record = engine.record(policy);
    if (record?.rejected === true && !backend.isStandby) observer.refused(record, record.problems);
  }

  /** Then the policies that have changed are reported as held back. */
  async #isZoneWrong(changed: ReadonlySet<PolicyKey>): Promise<boolean> {
    const { engine, backend, observer, clock } = this.#options;
    const why = this.#wrongZone.holdsBack();
    if (why === null) return false;
    const pace = new Pace(clock);
    for (const policy of backend.isStandby ? [] : changed) {
      if (pace.isDue) await pace.rest();
      const record = engine.record(policy);
      if (record?.rejected === false) observer.heldBack(record, why);
    }
    return true;
  }

  /** In slices: no pass begins meanwhile, so that records stay as they were committed. */
  async #report(keys: readonly ObjectKey[], outcome: CommitOutcome): Promise<void> {
    const { engine, backend, observer, logger, clock } = this.#options;
    const pace = new Pace(clock);
    for (const key of outcome.settled) {
      if (pace.isDue) await pace.rest();
      this.#queue.settled(key);
      if (backend.isStandby) continue;
      const record = engine.record(key);
      if (record === null) {
        if (!isOwnPolicy(key)) observer.removed(key);
      } else if (!record.rejected) observer.settled(record);
    }
    for (const [key, problem] of outcome.refused) {
      if (pace.isDue) await pace.rest();
      this.#queue.failed(key);
      if (backend.isStandby) continue;
      const record = engine.record(key);
      if (record !== null) observer.refused(record, [...record.problems, problem]);
      else for (const [said, fields] of ownRefusal(key, problem)) logger.warn(said, fields);
    }
    const inForce = outcome.settled.filter((key) => engine.record(key) !== null);
    if (outcome.interrupted === null) this.#completed(inForce.length);
    else this.#interrupted(outcome.interrupted, keys.length);
  }

  #completed(policies: number): void {
    this.#trouble.reset();
    if (this.#reconciled) return;
    this.#reconciled = true;
    this.#options.logger.info("initial synchronization is complete", { policies });
  }

  /** The session reconnects by itself and calls `onWork`; a server in trouble is tried again after a delay. */
  #interrupted(reason: string, keys: number): void {
    const { backend, clock, logger } = this.#options;
    logger.warn("a commit was interrupted and will be retried", { reason, keys });
    if (backend.ready)
      clock.after(this.#trouble.next(), () => {
        this.#schedule();
      });
  }
}
