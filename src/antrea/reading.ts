// What every reader of this folder is given.

import { PolicyReading } from "../kubernetes/policy-reading.ts";
import type { LogSeverity } from "../model/log-severity.ts";
import type { ProblemCode } from "../model/problem.ts";
import type { Field, Problems } from "../model/reader.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";

export class Reading extends PolicyReading {
  /** Of the verdicts that rules ask to be logged. */
  readonly severity: LogSeverity;

  constructor(namespace: string | null, resolve: Resolve, closed: Problems, severity: LogSeverity = "info") {
    super(namespace, resolve, closed);
    this.severity = severity;
  }

  override closeUnknown(field: Field, known: readonly string[], code: ProblemCode = "InvalidField"): boolean {
    return super.closeUnknown(field, known, code);
  }
}
