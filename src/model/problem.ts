// A finding about user input. An error rejects the object (its earlier version stays in force); a warning names the
// part of it that is not in force, or is in force in a stricter form.

/** Every code: a closed list, so that metrics can start each of them at zero. */
export const problemCodes = [
  "InvalidObject",
  "InvalidName",
  "InvalidField",
  "UnknownField",
  "MissingField",
  "TooMany",
  "InvalidSelector",
  "InvalidCIDR",
  "UnknownProtocol",
  "UnknownAction",
  "UnsupportedPriority",
  "UnknownPeer",
  "UnknownPort",
  "InvalidLogging",
  "InvalidAddress",
  "MissingReference",
  "Unsupported",
  "NoPlace",
  "TooManyTiers",
  "RowRefused",
] as const;
export type ProblemCode = (typeof problemCodes)[number];

export interface Problem extends ShownProblem {
  readonly code: ProblemCode;
}

/** The text of a Problem for people. */
export interface ShownProblem {
  readonly severity: "error" | "warning";
  /** Path of the field in the object, as kubectl prints it: `spec.ingress[1].from[0].namespaces`. */
  readonly field: string;
  /** One sentence, without the field and without a full stop. */
  readonly message: string;
}
