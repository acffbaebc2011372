// Our condition in the status of objects, and the fields beside it, by server-side apply of these alone: the conditions of
// other zones stay untouched. The reporter passes what is true now; the writer skips the request when the object already has
// it, and writes again what another client overwrote. It never changes what it has read, and a write counts as done only when
// the server has confirmed it.

import type { KindText, ObjectKey, ObjectKind, PolicyObject, ShownKey } from "../../model/object.ts";
import { keyOf, kindText } from "../../model/object.ts";
import type { ApiResponse } from "../transport/api.ts";
import type { SeenStatus } from "../read/conditions.ts";
import { Failure } from "../transport/failure.ts";
import { Repairs } from "./repairs.ts";
import type { ReportedPolicy, StatusWrite } from "./status-write.ts";
import { statusRequest, verdictOf } from "./status-write.ts";
import { timestamp } from "./timestamp.ts";
import type { ApiWriterOptions, End, WriteOutcome, WriteStats } from "./write.ts";
import { WriteQueue } from "./write-queue.ts";
import type { PolicyOutcome, ReportedCondition } from "./zone-condition.ts";
import { boundedMessage, statusBody, fieldManager, isSame, refusesWords } from "./zone-condition.ts";

export interface StatusWriterOptions extends ApiWriterOptions {
  /** The status that an object was last seen with. */
  readonly statusOf: (key: ObjectKey) => SeenStatus;
  /** null: one zone for the whole cluster. */
  readonly zone: string | null;
  /** Keys as the log shows them. */
  readonly shown: ShownKey;
  /** The time of day. */
  readonly date?: () => Date;
}

export interface FailedWithdrawal {
  readonly key: ObjectKey;
  readonly reason: string;
}

/** What was reported last. */
interface Report {
  readonly object: PolicyObject;
  readonly resource: ObjectKind;
  readonly outcome: PolicyOutcome;
}

/** Our last write that the server confirmed. */
interface Written {
  readonly uid: string | null;
  readonly condition: ReportedCondition;
  /** Until then, an object that is seen without the condition counts as an outdated view. */
  readonly trustedUntil: number;
  readonly trustMs: number;
}

/**
 * Longer than a watch lags. Doubled with every write that was not seen, so that a watch that is cut off causes no
 * storm.
 */
const trustMs = { first: 30_000, last: 3_600_000 };

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #manager: string;
  readonly #queue: WriteQueue<StatusWrite>;
  readonly #written = new Map<ObjectKey, Written>();
  readonly #reports = new Map<ObjectKey, Report>();
  readonly #repairs: Repairs<ObjectKey>;
  /** Kinds whose definition has no fields for reason and message, according to the server. */
  readonly #wordless = new Set<KindText>();
  #writes = 0;
  #skipped = 0;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#manager = fieldManager(options.zone);
    this.#repairs = new Repairs(options.clock, (key) => this.#repair(key));
    this.#queue = new WriteQueue({
      ...options,
      judge: (write, response) => this.#judge(write, response),
      ended: (_, write, end) => {
        this.#ended(write, end);
      },
    });
  }

  get stats(): WriteStats {
    return { writes: this.#writes, skipped: this.#skipped, failures: this.#queue.failures };
  }

  /**
   * May be called at any rate; replaces a report that is not written yet. What is reported of an object whose name another
   * one has by now is dropped: it would be reported for that one.
   */
  report(object: PolicyObject, resource: ObjectKind, outcome: PolicyOutcome): void {
    const key = keyOf(object);
    const { uid } = object;
    if (this.#isReplaced(key, uid)) {
      this.#skipped++;
      return;
    }
    this.#reports.set(key, { object, resource, outcome });
    const condition = this.#conditionOf(key, object, outcome);
    const waiting = this.#queue.waiting(key);
    const isWaiting = waiting !== null && waiting.uid === uid && isSame(waiting.condition, condition);
    const isThere = !this.#queue.uncertain(key) && this.#carries(key, uid, condition);
    if (isThere) this.#queue.forget(key);
    if (isThere || isWaiting) {
      this.#skipped++;
      return;
    }
    const hasWords = !this.#wordless.has(kindText(resource));
    const status = statusBody(condition, hasWords);
    this.#queue.put(key, {
      ...statusRequest({ object, resource }, { status }, this.#manager),
      shown: this.#options.shown(key),
      ...{ condition, hasWords },
      insistent: true,
      told: () => undefined,
    });
  }

  /** The object was seen with other conditions than before, by whomever they were written, or as another of its name. */
  seen(key: ObjectKey): void {
    const report = this.#reports.get(key);
    if (report !== undefined && this.#isReplaced(key, report.object.uid)) {
      // Its own report follows. The last one would say that it is in force.
      this.forget(key);
      return;
    }
    this.#noteCaughtUp(key);
    if (this.#isOverwritten(key)) this.#repairs.needed(key, this.#written.get(key)?.trustedUntil ?? 0);
  }

  /** The policy is deleted. */
  forget(key: ObjectKey): void {
    this.#written.delete(key);
    this.#reports.delete(key);
    this.#repairs.forget(key);
    this.#queue.forget(key);
  }

  /** Another instance writes the conditions now: drops what is not written, and what was. */
  stopLeading(): void {
    this.#queue.clear();
    this.#repairs.clear();
    this.#reports.clear();
    this.#written.clear();
  }

  /** Removes our conditions after any running write. Resolves with the policies that may still have one. */
  async withdraw(policies: readonly ReportedPolicy[]): Promise<readonly FailedWithdrawal[]> {
    const withdrawals = policies.map(async (policy): Promise<readonly FailedWithdrawal[]> => {
      const key = keyOf(policy.object);
      // What is withdrawn is not written again.
      this.#reports.delete(key);
      this.#repairs.forget(key);
      const end = await new Promise<End>((told) => {
        // Server-side apply removes what we own and no longer apply. The server would refuse an empty status.
        this.#queue.put(key, {
          ...statusRequest(policy, {}, this.#manager),
          shown: this.#options.shown(key),
          condition: null,
          hasWords: false,
          insistent: false,
          told,
        });
      });
      if (end === "done" || end === "moot") return [];
      return [{ key, reason: end instanceof Failure ? end.message : "the withdrawal was abandoned" }];
    });
    return (await Promise.all(withdrawals)).flat();
  }

  /** Resolves when no request is running; writes that wait for a retry may remain. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Drops every write that is not done yet. */
  stop(): Promise<void> {
    this.#repairs.stop();
    return this.#queue.stop();
  }

  /** Another object than that of this uid was seen under the name. */
  #isReplaced(key: ObjectKey, uid: string | null): boolean {
    const seen = this.#options.statusOf(key);
    return uid !== null && seen.uid !== null && seen.uid !== uid;
  }

  /** The object has another condition than was reported, and no write is on its way. */
  #isOverwritten(key: ObjectKey): boolean {
    const report = this.#reports.get(key);
    if (report === undefined || this.#queue.waiting(key) !== null || this.#queue.uncertain(key)) return false;
    const condition = this.#conditionOf(key, report.object, report.outcome);
    return !isSame(this.#seen(key, condition.type), condition);
  }

  #repair(key: ObjectKey): boolean {
    const report = this.#reports.get(key);
    if (report === undefined || !this.#isOverwritten(key)) return false;
    const { logger, shown } = this.#options;
    logger.warn("a condition was overwritten by another client and is written again", { policy: shown(key) });
    this.report(report.object, report.resource, report.outcome);
    return true;
  }

  #conditionOf(key: ObjectKey, { uid, generation }: PolicyObject, outcome: PolicyOutcome): ReportedCondition {
    const { type, status, reason, fields } = outcome;
    const message = boundedMessage(outcome.message);
    const lastTransitionTime = this.#transitionTime(key, uid, outcome);
    const observedGeneration = fields === undefined ? generation : null;
    return { type, status, reason, message, observedGeneration, lastTransitionTime, fields: fields ?? {} };
  }

  /** The time of a transition that was reported and may not be written yet, or of the last written one. */
  #transitionTime(key: ObjectKey, uid: string | null, { type, status }: PolicyOutcome): string {
    const latest = this.#queue.waiting(key);
    const waiting = latest?.uid === uid ? latest.condition : null;
    const known = this.#known(key, uid, type);
    const before = this.#queue.uncertain(key) ? (waiting ?? known) : known;
    const since = [before, waiting].find((condition) => condition?.status === status)?.lastTransitionTime;
    const { date = () => new Date() } = this.#options;
    return since ?? timestamp(date());
  }

  /** Our condition on the object, as far as known: a write of ours is newer than what we have seen. */
  #known(key: ObjectKey, uid: string | null, type: string): ReportedCondition | null {
    const written = this.#written.get(key);
    return written?.uid === uid ? written.condition : this.#seen(key, type);
  }

  #seen(key: ObjectKey, type: string): ReportedCondition | null {
    const { conditions, fields } = this.#options.statusOf(key);
    const condition = conditions.find((one) => one.type === type);
    return condition === undefined ? null : { ...condition, fields };
  }

  /** Once the watch has shown our last write, another condition is another client's, and a missing one was removed. */
  #noteCaughtUp(key: ObjectKey): void {
    const written = this.#written.get(key);
    if (written === undefined || !isSame(this.#seen(key, written.condition.type), written.condition)) return;
    const trustedUntil = this.#options.clock.now();
    this.#written.set(key, { ...written, trustedUntil, trustMs: trustMs.first });
  }

  #carries(key: ObjectKey, uid: string | null, condition: ReportedCondition): boolean {
    const isSeen = isSame(this.#seen(key, condition.type), condition);
    const written = this.#written.get(key);
    if (written?.uid !== uid) return isSeen;
    // What the watch has seen may be older than our last write, which set another condition.
    if (!isSame(written.condition, condition)) return false;
    this.#noteCaughtUp(key);
    return isSeen || this.#options.clock.now() < written.trustedUntil;
  }

  #judge(write: StatusWrite, response: ApiResponse): WriteOutcome {
    if (!write.hasWords || !refusesWords(response)) return verdictOf(write, response);
    this.#wordless.add(write.kind);
    return "moot";
  }

  #ended({ key, uid, condition, told, kind, hasWords }: StatusWrite, end: End): void {
    const report = this.#reports.get(key);
    if (end === "moot" && hasWords && this.#wordless.has(kind) && report !== undefined)
      this.report(report.object, report.resource, report.outcome);
    if (end === "done") {
      this.#writes++;
      if (condition === null) this.#written.delete(key);
      else this.#remember(key, uid, condition);
      // The watch may have been faster than the answer.
      this.#noteCaughtUp(key);
    }
    told(end);
  }

  #remember(key: ObjectKey, uid: string | null, condition: ReportedCondition): void {
    const last = this.#written.get(key);
    const again = last?.uid === uid && isSame(last.condition, condition);
    const trusted = again ? Math.min(2 * last.trustMs, trustMs.last) : trustMs.first;
    const trustedUntil = this.#options.clock.now() + trusted;
    this.#written.set(key, { uid, condition, trustedUntil, trustMs: trusted });
  }
}
