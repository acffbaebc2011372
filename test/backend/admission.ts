// What a backend answers to the question whether it can say a policy. A copy of the contract of policy/backend.ts, for the
// time until the types stand there; then this file goes and its importers name that one.

import type { ProblemCode } from "../../src/model/problem.ts";
import type { Backend } from "../../src/policy/backend.ts";
import type { Direction, Policy, PolicyKey } from "../../src/policy/ir.ts";

type RuleField = "rule" | "action" | "subject" | "peers" | "ports" | "logging";

/** Which part of a policy a refusal is about. */
export type PolicyPart =
  | { readonly kind: "policy" | "tier" | "priority" | "subject" }
  | { readonly kind: "unmatched"; readonly direction: Direction }
  | {
      readonly kind: "rule";
      readonly direction: Direction;
      readonly index: number;
      readonly field: RuleField;
    };

export interface Refusal {
  readonly code: ProblemCode;
  readonly part: PolicyPart;
  /** One sentence, without the field and without a full stop. */
  readonly message: string;
}

/** A named port that no destination of the rule declares. */
export interface UnmatchedPort {
  readonly direction: Direction;
  readonly index: number;
  readonly name: string;
}

export interface AdmittingBackend extends Backend {
  /** Empty: `upsert(policy)` works and never throws. Changes nothing. */
  admit(policy: Policy): readonly Refusal[];
  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[];
}
