// Reports the result for each policy: log lines, the condition on the object, events, counters. Reports everything
// once, and calls a policy in force only while nothing says that its rows are without effect, and ready only when the
// requested proof is there as well.

import type { Advice } from "./policy-events.ts";
import { problemEvents, unmatchedPorts } from "./policy-events.ts";
import type { Engine, PolicyRecord } from "../controller/engine.ts";
import type { LoopObserver } from "../controller/loop.ts";
import type { JudgedReference } from "../controller/judged-references.ts";
import type { ReportedPolicies } from "./reported.ts";
import {
  failureMessage,
  isError,
  partlyMessage,
  problemText,
  unenforcedText,
  writtenOnly,
} from "./report-texts.ts";
import { SharedPriorities } from "./shared-priorities.ts";
import type { FieldOf } from "./findings.ts";
import { placedAdvice, placedFinding } from "./findings.ts";
import { problemFields } from "../informers/index.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { ObjectKey, LocationOf, ShownKey, SourceProblem } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Realization } from "../policy/contracts/dialect.ts";
import { mistakesIn } from "../policy/contracts/dialect.ts";
import type { Proof } from "../policy/contracts/proof.ts";
import type { PolicyEvent } from "../model/policy-event.ts";
import type { Unenforced, UnenforcedReason } from "../policy/contracts/unenforced.ts";
import { isOfNames } from "../policy/contracts/unenforced.ts";
import type { UnmatchedPort } from "../policy/contracts/unmatched-port.ts";
import type { PolicyKey } from "../policy/ir.ts";

/** Receives conditions and events; a source without a cluster has none. */
export interface ClusterStatus {
  /** How far the policy is realized, and the message about it; the kind's words give the reason unless given. */
  condition(record: PolicyRecord, realization: Realization, message: string, reason?: UnenforcedReason): void;
  /** What the status counts may have changed: the rows were looked at again. Cheap. */
  examined(record: PolicyRecord): void;
  /** Tells counts that have changed. Call it now and then. */
  review(): void;
  /** What is reported on an object that policies refer to; null: it was removed. */
  judged(key: ObjectKey, judged: JudgedReference | null): void;
  event(record: PolicyRecord, event: PolicyEvent): void;
  gone(key: PolicyKey): void;
  /** Another instance writes from now on, until the next call of `condition` or `event`. */
  stopLeading(): void;
}

export interface ReporterOptions {
  readonly reported: ReportedPolicies;
  readonly engine: Pick<Engine, "record" | "sharing">;
  readonly clusterStatus: ClusterStatus | null;
  /** null: an acknowledged commit is sufficient proof. */
  readonly askProof: ((proof: Proof) => void) | null;
  readonly patienceSeconds: number;
  readonly unmatchedPorts: (key: PolicyKey) => readonly UnmatchedPort[];
  /** Why a settled policy is not enforced; null: nothing says so. */
  readonly unenforced: (key: PolicyKey) => Unenforced | null;
  /** The facts are those of the source as of now. */
  readonly observed: () => void;
  readonly placeOf: LocationOf;
  readonly fieldOf: FieldOf;
  readonly shown: ShownKey;
  readonly clock: Pick<Clock, "now">;
  readonly logger: Logger;
  readonly counters: {
    problem(code: string): void;
    pass(keys: number, milliseconds: number): void;
  };
}

export class Reporter implements LoopObserver {
  readonly #options: ReporterOptions;
  /** How often another instance took over: a proof requested before that is no longer reported. */
  #terms = 0;
  /** By policy, what was logged about it among the others. */
  readonly #advised = new Map<PolicyKey, ReadonlySet<string>>();

  readonly #priorities: SharedPriorities;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#priorities = new SharedPriorities(options.engine);
  }

  settled(record: PolicyRecord): void {
    const { reported, askProof } = this.#options;
    const isNew = reported.settled(record);
    this.#judge(record);
    if (!isNew) {
      this.#options.clusterStatus?.examined(record);
      return;
    }
    this.#report(record, record.problems);
    this.#advise(record);
    const term = this.#terms;
    if (record.isStaged) this.#stagedEvent(record);
    // There is nothing to prove of a policy without rows.
    if (askProof === null || record.isStaged) this.#proven(record);
    else {
      if (record.kind.conditions?.summary !== undefined)
        this.#options.clusterStatus?.condition(record, ...writtenOnly(record));
      askProof({
        proven: () => {
          if (term === this.#terms) this.#proven(record);
        },
        late: () => {
          if (term === this.#terms) this.#late(record);
        },
      });
    }
  }

  refused(record: PolicyRecord, problems: readonly Problem[]): void {
    const { reported, logger, shown, clusterStatus } = this.#options;
    if (!reported.refused(record, problems)) return;
    logger.warn("a policy is not in force as written", { policy: shown(record.key) });
    this.#report(record, problems);
    const realization = record.rejected ? "refused" : "failed";
    clusterStatus?.condition(record, realization, failureMessage(record, problems));
  }

  heldBack(record: PolicyRecord, why: Unenforced): void {
    // Settled rows are looked at in any case.
    if (!this.#options.reported.isOf(record)) this.#ready(record, why);
  }

  /** Checks again what may make settled rows useless. Call it regularly: some of it depends on time alone. */
  review(): void {
    for (const record of this.#options.reported.settledRecords()) this.#judge(record);
    this.#options.clusterStatus?.review();
  }

  judged(key: ObjectKey, judged: JudgedReference | null): void {
    const { counters, logger, placeOf, clusterStatus } = this.#options;
    clusterStatus?.judged(key, judged);
    if (judged === null) return;
    const { object, verdict } = judged;
    for (const problem of mistakesIn(verdict)) {
      counters.problem(problem.code);
      logger.warn("a finding in an object", problemFields(placedFinding({ key, object }, problem, placeOf)));
    }
  }

  removed(key: PolicyKey): void {
    const { reported, logger, shown, clusterStatus } = this.#options;
    clusterStatus?.gone(key);
    this.#advised.delete(key);
    if (reported.removed(key)) logger.info("a policy was removed", { policy: shown(key) });
  }

  sourceProblem(problem: SourceProblem): void {
    this.#options.counters.problem(problem.problem.code);
    this.#options.logger.warn("an object was refused", problemFields(problem));
  }

  observed(): void {
    this.#options.observed();
  }

  stoodDown(): void {
    this.#terms++;
    this.#options.reported.clear();
    this.#advised.clear();
    this.#priorities.clear();
    this.#options.clusterStatus?.stopLeading();
  }

  passed(keys: number, milliseconds: number): void {
    this.#options.counters.pass(keys, milliseconds);
    this.#options.logger.debug("a pass is complete", { keys, milliseconds: Math.round(milliseconds) });
  }

  /** Reports whether the settled rows have effect, when it differs from the last report. */
  #judge(record: PolicyRecord): void {
    const { reported, unenforced, clock, logger, shown } = this.#options;
    const why = unenforced(record.key);
    if (!reported.judged(record.key, why, clock.now())) return;
    const policy = shown(record.key);
    if (why === null) logger.info("a policy is in force", { policy });
    else
      logger.warn(unenforcedText(why), {
        ...{ policy, reason: why.reason, why: why.message },
      });
    if (reported.proof(record.key) === "proven" && this.#isCurrent(record)) this.#ready(record, why);
  }

  #proven(record: PolicyRecord): void {
    const { reported, unenforced, logger, shown } = this.#options;
    if (!this.#isCurrent(record)) return;
    this.#judge(record);
    if (reported.proof(record.key) === "late")
      logger.info("a policy has reached every chassis", { policy: shown(record.key) });
    reported.proves(record.key, "proven");
    this.#ready(record, unenforced(record.key));
  }

  #ready(record: PolicyRecord, why: Unenforced | null): void {
    const { clusterStatus } = this.#options;
    const texts = record.problems.map(problemText);
    const warnings = texts.length === 0 ? "" : `; warnings: ${texts.join("; ")}`;
    if (why === null && record.problems.some(isError))
      clusterStatus?.condition(record, "partly", partlyMessage(record));
    else if (why !== null && isOfNames(why.reason))
      clusterStatus?.condition(record, "partly", `${why.reason}: ${why.message}${warnings}`, why.reason);
    else if (why === null)
      clusterStatus?.condition(record, "realized", (record.kind.conditions?.success ?? "") + warnings);
    else {
      const realization = why.reason === "Staged" ? "staged" : "underWay";
      clusterStatus?.condition(record, realization, `${why.reason}: ${why.message}${warnings}`, why.reason);
    }
  }

  /** Of a kind that has no conditions. */
  #stagedEvent(record: PolicyRecord): void {
    const { conditions, shortKind } = record.kind;
    if (conditions !== null) return;
    const message = `This ${shortKind} ${record.object.name} is staged: it is not in force`;
    this.#options.clusterStatus?.event(record, { type: "Normal", reason: `${shortKind}Staged`, message });
  }

  #late(record: PolicyRecord): void {
    if (!this.#isCurrent(record)) return;
    const { reported, patienceSeconds, logger, shown, clusterStatus } = this.#options;
    reported.proves(record.key, "late");
    const message = `the rows are in the Northbound database, but not every chassis has programmed them after ${patienceSeconds} s`;
    logger.warn("a policy has not reached every chassis", {
      policy: shown(record.key),
      seconds: patienceSeconds,
    });
    clusterStatus?.condition(record, record.problems.some(isError) ? "partly" : "underWay", message);
  }

  /** A proof can arrive after the object has changed again. */
  #isCurrent(record: PolicyRecord): boolean {
    return this.#options.engine.record(record.key) === record;
  }

  #report(record: PolicyRecord, problems: readonly Problem[]): void {
    const { counters, logger, placeOf, clusterStatus } = this.#options;
    for (const problem of problems) {
      counters.problem(problem.code);
      logger.warn("a finding in a policy", problemFields(placedFinding(record, problem, placeOf)));
    }
    for (const event of problemEvents(record, problems)) clusterStatus?.event(record, event);
  }

  /** Of a policy that is new or has changed, and of those of its priority that it concerns. The event writer knows what it has written. */
  #advise(record: PolicyRecord): void {
    const { clusterStatus } = this.#options;
    const advice = [
      ...unmatchedPorts(record, this.#options.unmatchedPorts(record.key)),
      ...this.#priorities.advice(record),
    ];
    for (const { record: one, event } of advice) clusterStatus?.event(one, event);
    const byPolicy = Map.groupBy(advice, ({ record: { key } }) => key);
    // About the policy itself all is reported again, about the others only this.
    if (!byPolicy.has(record.key)) this.#advised.delete(record.key);
    for (const [key, own] of byPolicy) this.#log(key, own, key === record.key);
  }

  /** Each thing once, until it is not so any more. */
  #log(key: PolicyKey, advice: readonly Advice[], isAll: boolean): void {
    const { logger, fieldOf, placeOf } = this.#options;
    const before = this.#advised.get(key) ?? new Set<string>();
    for (const one of advice)
      if (!before.has(one.event.message))
        logger.warn("a finding in a policy", problemFields(placedAdvice(one, fieldOf, placeOf)));
    const now = new Set(advice.map(({ event: { message } }) => message));
    this.#advised.set(key, isAll ? now : before.union(now));
  }
}
