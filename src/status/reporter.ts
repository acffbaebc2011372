// Reports the result for each policy: log lines, the condition on the object, events, counters. Reports everything
// once, and calls a policy ready only when the requested proof is there.

import { duplicateEvents, problemEvents, unmatchedPortEvents } from "./policy-events.ts";
import type { Engine, PolicyRecord } from "../controller/engine.ts";
import type { LoopObserver } from "../controller/loop.ts";
import type { ReportedPolicies } from "./reported.ts";
import { formatFinding } from "./findings.ts";
import type { PlaceOf } from "./findings.ts";
import { formatSourceProblem } from "../informers/index.ts";
import type { Logger } from "../lib/logger.ts";
import type { ShownKey, SourceProblem } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Proof } from "../policy/proof.ts";
import type { PolicyEvent } from "../model/policy-event.ts";
import type { UnmatchedPort } from "../policy/unmatched-port.ts";
import type { PolicyKey } from "../policy/ir.ts";

/** Receives conditions and events; a source without a cluster has none. */
export interface ClusterStatus {
  /** Whether the policy is in force as written, and the message about it. */
  condition(record: PolicyRecord, ready: boolean, message: string): void;
  event(record: PolicyRecord, event: PolicyEvent): void;
  gone(key: PolicyKey): void;
  /** Another instance writes from now on, until the next call of `condition` or `event`. */
  standDown(): void;
}

export interface ReporterOptions {
  readonly reported: ReportedPolicies;
  readonly engine: Pick<Engine, "record" | "records">;
  readonly clusterStatus: ClusterStatus | null;
  /** null: an acknowledged commit is sufficient proof. */
  readonly askProof: ((proof: Proof) => void) | null;
  readonly patienceSeconds: number;
  readonly unmatchedPorts: (key: PolicyKey) => readonly UnmatchedPort[];
  readonly placeOf: PlaceOf;
  readonly shown: ShownKey;
  readonly logger: Logger;
  readonly counters: {
    problem(code: string): void;
    pass(milliseconds: number): void;
  };
}

export class Reporter implements LoopObserver {
  readonly #options: ReporterOptions;
  /** How often another instance took over: a proof that was asked for before is not told any more. */
  #terms = 0;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  settled(record: PolicyRecord): void {
    const { reported, logger, shown, askProof, clusterStatus, unmatchedPorts } = this.#options;
    if (!reported.settled(record)) return;
    logger.info("a policy is in force", { policy: shown(record.key) });
    this.#tell(record, record.problems);
    for (const event of unmatchedPortEvents(record, unmatchedPorts(record.key))) {
      clusterStatus?.event(record, event);
    }
    this.#tellDuplicates(record);
    const term = this.#terms;
    if (askProof === null) this.#ready(record);
    else
      askProof({
        proven: () => {
          if (term === this.#terms) this.#ready(record);
        },
        late: () => {
          if (term === this.#terms) this.#late(record);
        },
      });
  }

  refused(record: PolicyRecord, problems: readonly Problem[]): void {
    const { reported, logger, shown, clusterStatus } = this.#options;
    if (!reported.refused(record, problems)) return;
    logger.warn("a policy is not in force as written", { policy: shown(record.key) });
    this.#tell(record, problems);
    clusterStatus?.condition(record, false, failureMessage(record, problems));
  }

  removed(key: PolicyKey): void {
    const { reported, logger, shown, clusterStatus } = this.#options;
    clusterStatus?.gone(key);
    if (reported.removed(key)) logger.info("a policy is gone", { policy: shown(key) });
  }

  sourceProblem(problem: SourceProblem): void {
    this.#options.counters.problem(problem.problem.code);
    this.#options.logger.warn("an object was refused", { problem: formatSourceProblem(problem) });
  }

  stoodDown(): void {
    this.#terms++;
    this.#options.reported.clear();
    this.#options.clusterStatus?.standDown();
  }

  passed(keys: number, milliseconds: number): void {
    this.#options.counters.pass(milliseconds);
    this.#options.logger.debug("a pass is done", { keys, milliseconds: Math.round(milliseconds) });
  }

  #ready(record: PolicyRecord): void {
    if (!this.#isCurrent(record)) return;
    const warnings = record.problems.map(problemText);
    const success = record.kind.conditions?.success ?? "";
    const message = warnings.length === 0 ? success : `${success}; warnings: ${warnings.join("; ")}`;
    this.#options.clusterStatus?.condition(record, true, message);
  }

  #late(record: PolicyRecord): void {
    if (!this.#isCurrent(record)) return;
    const { patienceSeconds, logger, shown, clusterStatus } = this.#options;
    const message = `the rows are in the Northbound database, but not every chassis has programmed them after ${patienceSeconds} s`;
    logger.warn("a policy has not reached every chassis", {
      policy: shown(record.key),
      seconds: patienceSeconds,
    });
    clusterStatus?.condition(record, false, message);
  }

  /** A proof can come after the object has changed again. */
  #isCurrent(record: PolicyRecord): boolean {
    return this.#options.engine.record(record.key) === record;
  }

  #tell(record: PolicyRecord, problems: readonly Problem[]): void {
    const { counters, logger, placeOf, clusterStatus } = this.#options;
    for (const problem of problems) {
      counters.problem(problem.code);
      logger.warn("a finding in a policy", { problem: formatFinding(record, problem, placeOf) });
    }
    for (const event of problemEvents(record, problems)) clusterStatus?.event(record, event);
  }

  #tellDuplicates(record: PolicyRecord): void {
    const { engine, clusterStatus } = this.#options;
    for (const { record: member, event } of duplicateEvents(record, engine.records())) {
      clusterStatus?.event(member, event);
    }
  }
}

function problemText({ code, field, message }: Problem): string {
  return field === "" ? `${code}: ${message}` : `${code} at ${field}: ${message}`;
}

/** Documented messages first. */
function failureMessage({ kind, object, policy }: PolicyRecord, problems: readonly Problem[]): string {
  const texts = problems.map((problem) => ({
    documented: kind.conditions?.problem(object, problem) ?? null,
    common: problemText(problem),
  }));
  // Several findings may have one documented message.
  const documented = new Set(texts.map((text) => text.documented).filter((text) => text !== null));
  const others = texts.filter((text) => text.documented === null).map(({ common }) => common);
  const before = policy === null ? [] : ["what the policy said before stays in force"];
  return [...documented, ...others, ...before].join("; ");
}
