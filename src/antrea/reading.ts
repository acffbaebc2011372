// What every reader of this folder is given.

import { PolicyReading } from "../kubernetes/policy-reading.ts";
import type { LogSeverity } from "../model/log-severity.ts";
import type { ProblemCode } from "../model/problem.ts";
import type { Field, Problems } from "../model/reader.ts";
import type { NamesMode } from "../policy/contracts/names.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";

export class Reading extends PolicyReading {
  /** Of the verdicts that rules ask to be logged. */
  readonly severity: LogSeverity;
  /** How names of domains are resolved. */
  readonly names: NamesMode;

  constructor(
    namespace: string | null,
    resolve: Resolve,
    closed: Problems,
    {
      severity = "info",
      names = "off",
    }: { readonly severity?: LogSeverity; readonly names?: NamesMode } = {},
  ) {
    super(namespace, resolve, closed);
    this.severity = severity;
    this.names = names;
  }

  override closeUnknown(field: Field, known: readonly string[], code: ProblemCode = "InvalidField"): boolean {
    return super.closeUnknown(field, known, code);
  }
}
