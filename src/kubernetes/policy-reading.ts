// What every reader of a namespaced or cluster-wide policy is given: the policy's own namespace, the other objects that it may ask
// for, and a place for findings that do not refuse the policy. A part that rows cannot express, or that is unknown, is an error and
// makes its rule stricter; the policy's other rules stay in force.

import type { Problem, ProblemCode } from "../model/problem.ts";
import type { Field, Problems } from "../model/reader.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";

export class PolicyReading {
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

  /** How many parts were closed so far. */
  get closings(): number {
    return this.#closed.count;
  }

  /** Reports an error about a part that is left out or made stricter. */
  close(field: Field, message: string, code: ProblemCode = "Unsupported"): void {
    this.#closed.add({ code, severity: "error", field: field.path, message });
  }

  /** Reports every field outside `known`; whether there is one. */
  closeUnknown(field: Field, known: readonly string[], code: ProblemCode): boolean {
    const others = field.others(known).filter((name) => field.has(name));
    for (const other of others) this.close(field.at(other), "this field is not known here", code);
    return others.length > 0;
  }
}

/** The findings of a policy, those that refuse it and those that close parts of it: errors first. */
export function reported(problems: Problems, closed: Problems): readonly Problem[] {
  const found = [...problems.list(), ...closed.list()];
  const isError = ({ severity }: Problem): boolean => severity === "error";
  return [...found.filter(isError), ...found.filter((problem) => !isError(problem))];
}
