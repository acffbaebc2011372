// The Northbound backend. It holds the desired rows of every unit, the session's cache, and what is pending: where the
// two may differ. A commit plans all pending units against the cache and writes as few transactions as their size
// allows. It splits a refused transaction until it finds the unit that the database refuses.

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { IpFamily } from "../model/ip.ts";
import { shownAmong, splitKey } from "../model/object.ts";
import type { Backend, CommitOutcome, Refusal } from "../policy/contracts/backend.ts";
import { expectedPriorities } from "../policy/contracts/dialect.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { Edges, Membership } from "../policy/contracts/membership.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import type { UnmatchedPort } from "../policy/contracts/unmatched-port.ts";
import { type AclSampling, aclSampling } from "./acl-sampling.ts";
import { Actual } from "./actual/actual.ts";
import { noteChanges } from "./actual/drift.ts";
import { InFlight } from "./actual/in-flight.ts";
import { LostRows } from "./actual/lost-rows.ts";
import { existingPlaces } from "./actual/existing-places.ts";
import { SweepGuard } from "../contents/sweep-guard.ts";
import { Corrections } from "../contents/corrections.ts";
import { Content } from "./desired/content.ts";
import type { DesiredChange } from "./desired/desired.ts";
import { Desired } from "./desired/desired.ts";
import { markDifference } from "./desired/difference.ts";
import { unmatchedPortsOf } from "./desired/unmatched-ports.ts";
import { Enforcement } from "./enforcement.ts";
import { Pending } from "./pending.ts";
import { Planner } from "./planner.ts";
import { Refusals } from "./refusals.ts";
import { Settlement } from "./settlement.ts";
import { isolationUnit } from "./rows/isolation.ts";
import type { Layout } from "./rows/layout.ts";
import type { Owners, RowKind } from "./rows/owners.ts";
import { rowOwners } from "./rows/owners.ts";
import type { RenderMode } from "./rows/render-mode.ts";
import type { UnitKey } from "./rows/unit.ts";
import { samplingUnit, unitOfPolicy } from "./rows/unit.ts";
import { describedUnits } from "./shown-units.ts";
import type { TouchedParts } from "./touched.ts";
import { markTouched } from "./touched.ts";
import { UnitOrder } from "./unit-order.ts";
import type { Election } from "./write/election.ts";
import type { Committed } from "./write/committer.ts";
import { Committer } from "./write/committer.ts";
import type { NorthboundView, NorthboundWriter } from "./write/northbound-writer.ts";

export interface NorthboundBackendOptions extends RenderMode {
  readonly session: NorthboundView;
  readonly writer: NorthboundWriter;
  readonly membership: Membership;
  /** The kinds of policy whose rows this program owns, by the owner type of their rows. */
  readonly owners: ReadonlyMap<string, RowKind>;
  /** Owner types of shared units, when the layout has any: the session must monitor them too. */
  readonly sharedOwners?: Owners;
  /** Puts rows into units; unless given, all rows of a policy are its own unit. */
  readonly layout?: Layout;
  /** Decides whether this program writes; null or absent: it always does. */
  readonly election?: Pick<Election, "leads" | "onChange"> | null;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether a policy that was never read may still exist: then its rows are not swept. */
  readonly mayExist: (key: PolicyKey) => boolean;
  readonly committed?: Committed;
  /** A commit with more new elements and rows than this writes them ahead, in transactions of at most this size. */
  readonly transactionWeight?: number;
  /** Where nothing of ours is in force, a commit with more than this goes in order, in transactions of at most this size. */
  readonly orderedWeight?: number;
}

/** Rounds of one commit: the changes of our own writes arrive once; more rounds mean that another client writes too. */
const roundsPerCommit = 5;

export class NorthboundBackend implements Backend {
  readonly #session: NorthboundView;
  readonly #election: Pick<Election, "leads"> | null;
  readonly #desired: Desired;
  readonly #pending = new Pending();
  readonly #actual: Actual;
  readonly #content: Content;
  readonly #sweepGuard: SweepGuard;
  readonly #refusals: Refusals;
  readonly #settlement: Settlement;
  readonly #order: UnitOrder;
  readonly #inFlight = new InFlight();
  readonly #planner: Planner;
  readonly #committer: Committer;
  readonly #corrections: Corrections<UnitKey>;
  readonly #enforcement: Enforcement;
  readonly #touched: TouchedParts;
  /** null: ACLs are not sampled. */
  readonly sampling: AclSampling | null;
  #filled = false;
  /** The database's rows may have places of their own: another program's, or of a time before this one. */
  #mayHavePlaces = false;
  #committing = false;
  #work: () => void = () => undefined;

  constructor(options: NorthboundBackendOptions) {
    const { session, membership, sharedOwners = [], layout, mayExist, logger, clock } = options;
    const shown = shownAmong(options.owners.values());
    const owners: Owners = new Map([...rowOwners(options.owners), ...sharedOwners]);
    const lost = new LostRows();
    this.#session = session;
    this.#election = options.election ?? null;
    const expected = expectedPriorities(options.owners.values());
    this.#desired = new Desired({ ...options, expected }, layout);
    this.#actual = new Actual(session.cache, owners);
    this.sampling = aclSampling(options);
    this.#content = new Content(membership, options.zone, true);
    this.#sweepGuard = new SweepGuard(mayExist, logger, shown);
    this.#corrections = new Corrections({
      ...{ clock, logger },
      describe: (units: ReadonlySet<UnitKey>) => describedUnits(units, shown),
    });
    this.#refusals = new Refusals(this.#desired.users, this.#pending);
    this.#settlement = new Settlement(this.#desired.users, this.#pending, this.#refusals.units);
    this.#enforcement = new Enforcement({ ...options, desired: this.#desired, actual: this.#actual });
    const parts = {
      ...{ membership, owners, lost, clock, refused: this.#refusals.units, inFlight: this.#inFlight },
      ...{ corrections: this.#corrections, conflicts: this.#corrections.conflicts },
      ...{ desired: this.#desired, actual: this.#actual, content: this.#content, sampling: this.sampling },
      ...{ pending: this.#pending, sweepGuard: this.#sweepGuard, unconnected: this.#enforcement.unconnected },
    };
    this.#touched = parts;
    this.#order = new UnitOrder(parts);
    this.#planner = new Planner({ ...parts, order: this.#order });
    this.#committer = new Committer({ ...options, units: this.#planner });
    session.subscribe({
      ready: () => {
        this.#fill();
      },
      changed: (changes) => {
        // Before the first fill the whole cache is new; #fill compares all of it once.
        if (!this.#filled) return;
        noteChanges(changes, parts);
        if (changes.some(({ table, columns }) => table === "NB_Global" && columns.has("name"))) this.#work();
        if (!this.#committing) this.#order.resume(this.#work);
      },
    });
    options.election?.onChange(() => {
      // What another program has settled, this one has not: it looks at everything again.
      if (this.#filled) this.#compareAll();
      this.#mayHavePlaces = true;
      this.#work();
    });
    if (session.ready) this.#fill();
  }

  get ready(): boolean {
    return this.#session.ready && !this.isStandby;
  }

  get isStandby(): boolean {
    return this.#election !== null && !this.#election.leads;
  }

  holdsRows(): boolean {
    return this.#actual.owners().size > 0;
  }

  /** Our rows in the database. */
  get actual(): Actual {
    return this.#actual;
  }

  /** What was written without an edit, and conflicts with other writers of the same rows. */
  get corrections(): Pick<Corrections<UnitKey>, "counts" | "conflicts"> {
    return this.#corrections;
  }

  onWork(callback: () => void): void {
    this.#work = callback;
  }

  serve(families: readonly IpFamily[]): void {
    this.#mark(this.#desired.serve(families));
  }

  admit(policy: Policy): readonly Refusal[] {
    return this.#desired.admit(policy);
  }

  upsert(policy: Policy): void {
    this.#sweepGuard.understood(policy.key);
    // Refused rows are not in the database, even if they hardly differ from the rows rendered before.
    this.retry(policy.key);
    this.#mark(this.#desired.upsert(policy));
    // Shared units that it did not use before.
    this.retry(policy.key);
    this.#forgetUnused();
  }

  remove(key: PolicyKey): void {
    this.#sweepGuard.removed(key);
    this.retry(key);
    this.#mark(this.#desired.remove(key));
    this.#forgetUnused();
  }

  takeContested(): readonly PolicyKey[] {
    return this.#desired.takeContested();
  }

  freeze(key: PolicyKey): void {
    this.#sweepGuard.freeze(key);
  }

  retry(key: PolicyKey): void {
    this.#refusals.retry(key);
  }

  touch(edges: Edges): void {
    this.#mark(this.#desired.settle());
    markTouched(edges, this.#touched);
  }

  /** The policy's named ports that no container port of its destinations has. */
  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[] {
    return unmatchedPortsOf(key, this.#desired, this.#content);
  }

  unenforced(key: PolicyKey | null): Unenforced | null {
    // Before the first fill the cache says nothing.
    return this.#filled ? this.#enforcement.of(key) : null;
  }

  async commit(): Promise<CommitOutcome> {
    this.#adoptPlaces();
    this.#mark(this.#desired.settle());
    for (const key of this.#sweepGuard.released()) {
      this.#pending.markWhole(unitOfPolicy(key), { found: true });
      const { namespace } = splitKey(key);
      if (namespace !== null) this.#pending.markWhole(isolationUnit(namespace), { found: true });
    }
    const ledger = this.#refusals.newLedger();
    let interrupted: string | null = null;
    this.#committing = true;
    try {
      for (let round = 0; round < roundsPerCommit && interrupted === null; round++) {
        if (this.sampling?.hasNewCollector() === true) this.#compareAll();
        const units = this.#order.next();
        if (units.length === 0) break;
        interrupted = await this.#committer.commit(units, ledger);
        this.#refusals.close(ledger);
        this.#corrections.roundOver();
      }
    } finally {
      this.#committing = false;
      this.#inFlight.clear();
      this.sampling?.committed(this.#refusals.units.get(samplingUnit) ?? null);
      this.#planner.membersMayChange();
      this.#corrections.report();
      this.#enforcement.unconnected.lookAtAll();
    }
    if (interrupted === null) this.#order.resume(this.#work);
    const refused = this.#refusals.policies();
    return { settled: this.#settlement.policiesOf(ledger, refused.keys()), refused, interrupted };
  }

  #forgetUnused(): void {
    this.#content.namedPorts.lists.keepOnly((group) => this.#desired.namedPortsOf(group).size > 0);
  }

  #mark(change: DesiredChange): void {
    const { rendered, gone } = change;
    for (const rendering of rendered) {
      const pending = this.#pending.of(rendering.after.unit);
      pending.add({ edited: true });
      markDifference(rendering, pending);
    }
    for (const unit of gone) this.#pending.markWhole(unit, { edited: true });
    this.#enforcement.unconnected.rendered(change);
  }

  /** Before anything is planned: an existing row whose place the order allows is not written. */
  #adoptPlaces(): void {
    if (!this.#mayHavePlaces || !this.ready) return;
    this.#mayHavePlaces = false;
    this.#mark(this.#desired.adopt(existingPlaces(this.#actual.ownedAcls())));
  }

  /** The cache is complete: the first time, all rows are compared, including those that are not desired. */
  #fill(): void {
    this.#mayHavePlaces = true;
    if (!this.#filled) {
      this.#filled = true;
      this.#compareAll();
    }
    this.#enforcement.unconnected.filled();
    this.#work();
  }

  #compareAll(): void {
    this.sampling?.mark(this.#pending);
    for (const unit of this.#desired.units()) this.#pending.markWhole(unit);
    for (const unit of this.#actual.owners()) this.#pending.markWhole(unit, { found: true });
  }
}
