// What every reader of this folder is given: the policy's own namespace, the other objects that it may ask for, and a place for
// findings that close one rule and leave the policy in force.

import type { ProblemCode } from "../model/problem.ts";
import type { Field, Problems } from "../model/reader.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";

export class Reading {
  /** null: the policy is in no namespace. */
  readonly namespace: string | null;
  readonly resolve: Resolve;
  readonly #closed: Problems;

  /** `closed` takes the errors that do not refuse the policy. */
  constructor(namespace: string | null, resolve: Resolve, closed: Problems) {
    this.namespace = namespace;
    this.resolve = resolve;
    this.#closed = closed;
  }

  /** How many parts were closed so far: a rule in which one more was closed is closed. */
  get closings(): number {
    return this.#closed.count;
  }

  /** Tells an error about a part whose rule is closed: an Allow matches nothing then, and any other action denies everything. */
  close(field: Field, message: string, code: ProblemCode = "Unsupported"): void {
    this.#closed.add({ code, severity: "error", field: field.path, message });
  }

  /** Closes for every field outside `known`. */
  closeUnknown(field: Field, known: readonly string[]): void {
    for (const other of field.others(known))
      if (field.has(other)) this.close(field.at(other), "this field is not known here", "UnknownField");
  }
}
