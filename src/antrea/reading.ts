// What every reader of this folder is given: the policy's own namespace, the other objects that it may ask for, and a
// place for findings that do not refuse the policy. A part that rows cannot express, or that is unknown here, is an error
// and makes its rule stricter; the policy's other rules stay in force.

import type { LogSeverity } from "../model/log-severity.ts";
import type { ProblemCode } from "../model/problem.ts";
import type { Field, Problems } from "../model/reader.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";

export class Reading {
  /** null: the policy is in no namespace. */
  readonly namespace: string | null;
  readonly resolve: Resolve;
  /** Of the verdicts that rules ask to be logged. */
  readonly severity: LogSeverity;
  readonly #closed: Problems;

  /** `closed` takes the errors that do not refuse the policy. */
  constructor(namespace: string | null, resolve: Resolve, closed: Problems, severity: LogSeverity = "info") {
    this.namespace = namespace;
    this.resolve = resolve;
    this.#closed = closed;
    this.severity = severity;
  }

  /** Tells an error about a part that is left out or made stricter. */
  close(field: Field, message: string, code: ProblemCode = "Unsupported"): void {
    this.#closed.add({ code, severity: "error", field: field.path, message });
  }

  /** Tells every field outside `known`; whether there is one. */
  closeUnknown(field: Field, known: readonly string[], code: ProblemCode = "InvalidField"): boolean {
    const others = field.others(known).filter((name) => field.has(name));
    for (const other of others) this.close(field.at(other), "this field is not known here", code);
    return others.length > 0;
  }
}
