// What lint has found: the shape that every output prints. Names are of what the user wrote; text of users is kept as it is
// here, and made harmless where it is printed.

import type { Ref, RuleRef } from "../analysis/ref.ts";
import type { FieldEdit } from "../model/objects/field-edit.ts";

export const severities = ["error", "warning", "info"] as const;
export type Severity = (typeof severities)[number];

export interface Related {
  readonly policy: Ref;
  readonly rule: RuleRef | null;
}

export interface Finding {
  /** Of the catalogue: "NG001". */
  readonly id: string;
  readonly severity: Severity;
  readonly policy: Ref;
  /** null: the finding is about the policy. */
  readonly rule: RuleRef | null;
  /** As kubectl prints it; "": the object. */
  readonly field: string;
  /** `file:line` of the field; null: the object is from no file. */
  readonly place: string | null;
  /** One sentence, without a full stop. */
  readonly message: string;
  /** What to do, as one sentence without a full stop; "": nothing in general. */
  readonly fix: string;
  /** What `--fix` does to the field; null: there is no one right mending. */
  readonly edit: FieldEdit | null;
  readonly related: readonly Related[];
  /** The reason that the policy's annotation gives; null: it is not suppressed. */
  readonly suppressed: string | null;
  /** Equal for the same finding in another version of the file: of the id, the policy and the rule's content, never a line. */
  readonly fingerprint: string;
}

export interface Counts {
  readonly error: number;
  readonly warning: number;
  readonly info: number;
  /** Not counted above. */
  readonly suppressed: number;
}

export const lintSchema = "northgate.lint/1";

export interface Report {
  readonly schema: typeof lintSchema;
  /** In the order of evaluation of their policies. */
  readonly findings: readonly Finding[];
  readonly counts: Counts;
}

/** Whether it is at least as bad. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(least);
}
