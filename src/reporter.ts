// Tells the world what became of each policy: log lines, the condition on the object, events, counters. Says everything
// once, and calls a policy ready only when what was asked for has happened.

import type { Announcement } from "./announcements.ts";
import { announceDuplicates, announceProblems, announceUnmatchedPorts, priorityOf } from "./announcements.ts";
import type { Engine, PolicyRecord } from "./controller/engine.ts";
import type { LoopObserver } from "./controller/loop.ts";
import type { PolicyJournal } from "./journal.ts";
import { formatFinding } from "./cli/findings.ts";
import type { PlaceOf } from "./cli/findings.ts";
import { formatSourceProblem } from "./informers/index.ts";
import type { Logger } from "./lib/logger.ts";
import type { PolicyObject, SourceProblem } from "./model/object.ts";
import type { Problem } from "./model/problem.ts";
import type { Proof } from "./nbdb/chassis-proof.ts";
import type { UnmatchedPort } from "./nbdb/named-ports.ts";
import type { PolicyKey } from "./policy/ir.ts";

/** A condition's fields that the outcome decides. Reasons and the message of success are the documented ones. */
export interface Outcome {
  readonly status: "True" | "False";
  readonly reason: "SetupSucceeded" | "SetupFailed";
  readonly message: string;
}

/** Where conditions and events go; a source that is no cluster has none. */
export interface Voice {
  condition(object: PolicyObject, outcome: Outcome): void;
  event(object: PolicyObject, announcement: Announcement): void;
  gone(key: PolicyKey): void;
}

export interface ReporterOptions {
  readonly journal: PolicyJournal;
  readonly engine: Engine;
  readonly voice: Voice | null;
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
    const { journal, logger, askProof, voice, unmatchedPorts } = this.#options;
    if (!journal.settled(record)) return;
    logger.info("a policy is in force", { policy: record.key });
    this.#tell(record, record.problems);
    for (const announcement of announceUnmatchedPorts(record, unmatchedPorts(record.key))) {
      voice?.event(record.object, announcement);
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
    const { journal, logger, voice } = this.#options;
    if (!journal.refused(record, problems)) return;
    logger.warn("a policy is not in force as written", { policy: record.key });
    this.#tell(record, problems);
    const message = failureMessage(record, problems);
    voice?.condition(record.object, { status: "False", reason: "SetupFailed", message });
  }

  removed(key: PolicyKey): void {
    const { journal, logger, voice } = this.#options;
    voice?.gone(key);
    if (journal.removed(key)) logger.info("a policy is gone", { policy: key });
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
    this.#options.voice?.condition(record.object, { status: "True", reason: "SetupSucceeded", message });
  }

  #late(record: PolicyRecord): void {
    if (!this.#isCurrent(record)) return;
    const { patienceSeconds, logger, voice } = this.#options;
    const message = `the rows are in the Northbound database, but not every chassis has programmed them after ${patienceSeconds} s`;
    logger.warn("a policy has not reached every chassis", { policy: record.key, seconds: patienceSeconds });
    voice?.condition(record.object, { status: "False", reason: "SetupFailed", message });
  }

  /** A proof can come after the object has changed again. */
  #isCurrent(record: PolicyRecord): boolean {
    return this.#options.engine.record(record.key) === record;
  }

  #tell(record: PolicyRecord, problems: readonly Problem[]): void {
    const { counters, logger, placeOf, voice } = this.#options;
    for (const problem of problems) {
      counters.problem(problem.code);
      logger.warn("a finding in a policy", { problem: formatFinding(record, problem, placeOf) });
    }
    for (const announcement of announceProblems(record, problems)) voice?.event(record.object, announcement);
  }

  #tellDuplicates(record: PolicyRecord): void {
    const { engine, voice } = this.#options;
    for (const { record: member, announcement } of announceDuplicates(record, engine.records())) {
      voice?.event(member.object, announcement);
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
