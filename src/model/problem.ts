// A finding about something a user wrote. An error rejects the object (what it last had stays in force); a warning
// says which part of it is not in force, or is in force in a stricter form.

export type ProblemCode =
  | "InvalidObject"
  | "InvalidName"
  | "InvalidField"
  | "MissingField"
  | "TooMany"
  | "InvalidSelector"
  | "InvalidCIDR"
  | "UnknownProtocol"
  | "UnknownAction"
  | "UnsupportedPriority"
  | "UnknownPeer"
  | "UnknownPort"
  | "InvalidLogging"
  | "InvalidAddress"
  | "RowRefused";

export interface Problem {
  readonly code: ProblemCode;
  readonly severity: "error" | "warning";
  /** Path of the field in the object, as kubectl prints it: `spec.ingress[1].from[0].namespaces`. */
  readonly field: string;
  /** One sentence, without the field and without a full stop. */
  readonly message: string;
}
