// Tells the world what became of each policy: log lines, the condition on the object, events, counters. Says everything
// once, and calls a policy ready only when what was asked for has happened.

import type { PolicyEvent } from "./policy-events.ts";
import { duplicateEvents, problemEvents, unmatchedPortEvents, priorityOf } from "./policy-events.ts";
import type { Engine, PolicyRecord } from "../controller/engine.ts";
import type { LoopObserver } from "../controller/loop.ts";
import type { ReportedPolicies } from "./reported.ts";
import { formatFinding } from "./findings.ts";
import type { PlaceOf } from "./findings.ts";
import { formatSourceProblem } from "../informers/index.ts";
import type { Logger } from "../lib/logger.ts";
import type { PolicyObject, SourceProblem } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Proof } from "../nbdb/write/chassis-proof.ts";
import type { UnmatchedPort } from "../policy/unmatched-port.ts";
import type { PolicyKey } from "../policy/ir.ts";

/** A condition's fields that the outcome decides. Reasons and the message of success are the documented ones. */
export interface Outcome {
  readonly status: "True" | "False";
  readonly reason: "SetupSucceeded" | "SetupFailed";
  readonly message: string;
}

/** Where conditions and events go; a source that is no cluster has none. */
export interface ClusterStatus {
  condition(object: PolicyObject, outcome: Outcome): void;
  event(object: PolicyObject, event: PolicyEvent): void;
  gone(key: PolicyKey): void;
}

export interface ReporterOptions {
  readonly reported: ReportedPolicies;
  readonly engine: Engine;
  readonly clusterStatus: ClusterStatus | null;
  /** null: an acknowledged commit is proof enough. */
  readonly askProof: ((proof: Proof) => void) | null;
  readonly patienceSeconds: number;
  readonly unmatchedPorts: (key: PolicyKey) => readonly UnmatchedPort[];
  readonly placeOf: PlaceOf;
  readonly logger: Logger;
  readonly counters: {
    problem(code: string): void;
    pass(milliseconds: number): void;
  };
}

const success = "Setting up OVN DB plumbing was successful";

export class Reporter implements LoopObserver {
  readonly #options: ReporterOptions;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  settled(record: PolicyRecord): void {
    const { reported, logger, askProof, clusterStatus, unmatchedPorts } = this.#options;
    if (!reported.settled(record)) return;
    logger.info("a policy is in force", { policy: record.key });
    this.#tell(record, record.problems);
    for (const event of unmatchedPortEvents(record, unmatchedPorts(record.key))) {
      clusterStatus?.event(record.object, event);
    }
    this.#tellDuplicates(record);
    if (askProof === null) this.#ready(record);
    else
      askProof({
        proven: () => {
          this.#ready(record);
        },
        late: () => {
          this.#late(record);
        },
      });
  }

  refused(record: PolicyRecord, problems: readonly Problem[]): void {
    const { reported, logger, clusterStatus } = this.#options;
    if (!reported.refused(record, problems)) return;
    logger.warn("a policy is not in force as written", { policy: record.key });
    this.#tell(record, problems);
    const message = failureMessage(record, problems);
    clusterStatus?.condition(record.object, { status: "False", reason: "SetupFailed", message });
  }

  removed(key: PolicyKey): void {
    const { reported, logger, clusterStatus } = this.#options;
    clusterStatus?.gone(key);
    if (reported.removed(key)) logger.info("a policy is gone", { policy: key });
  }

  sourceProblem(problem: SourceProblem): void {
    this.#options.counters.problem(problem.problem.code);
    this.#options.logger.warn("an object was refused", { problem: formatSourceProblem(problem) });
  }

  passed(keys: number, milliseconds: number): void {
    this.#options.counters.pass(milliseconds);
    this.#options.logger.debug("a pass is done", { keys, milliseconds: Math.round(milliseconds) });
  }

  #ready(record: PolicyRecord): void {
    if (!this.#isCurrent(record)) return;
    const warnings = record.problems.map(problemText);
    const message = warnings.length === 0 ? success : `${success}; warnings: ${warnings.join("; ")}`;
    this.#options.clusterStatus?.condition(record.object, {
      status: "True",
      reason: "SetupSucceeded",
      message,
    });
  }

  #late(record: PolicyRecord): void {
    if (!this.#isCurrent(record)) return;
    const { patienceSeconds, logger, clusterStatus } = this.#options;
    const message = `the rows are in the Northbound database, but not every chassis has programmed them after ${patienceSeconds} s`;
    logger.warn("a policy has not reached every chassis", { policy: record.key, seconds: patienceSeconds });
    clusterStatus?.condition(record.object, { status: "False", reason: "SetupFailed", message });
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
    for (const event of problemEvents(record, problems)) clusterStatus?.event(record.object, event);
  }

  #tellDuplicates(record: PolicyRecord): void {
    const { engine, clusterStatus } = this.#options;
    for (const { record: member, event } of duplicateEvents(record, engine.records())) {
      clusterStatus?.event(member.object, event);
    }
  }
}

function problemText({ code, field, message }: Problem): string {
  return field === "" ? `${code}: ${message}` : `${code} at ${field}: ${message}`;
}

function failureMessage({ object, policy }: PolicyRecord, problems: readonly Problem[]): string {
  const documented = problems.some((problem) => problem.code === "UnsupportedPriority")
    ? [
        `error attempting to add ANP ${object.name} with priority ${priorityOf(object.spec)} because, ` +
          "OVNK only supports priority ranges 0-99",
      ]
    : [];
  const others = problems.filter((problem) => problem.code !== "UnsupportedPriority").map(problemText);
  const before = policy === null ? [] : ["what the policy said before stays in force"];
  return [...documented, ...others, ...before].join("; ");
}
