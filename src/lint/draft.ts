// A finding as a rule of the catalogue makes it, before it has an id, a place and a fingerprint. lint.ts completes it.

import type { Ref } from "../analysis/ref.ts";
import type { FieldEdit } from "../model/objects/field-edit.ts";
import type { Policy, PolicyKey, Rule } from "../policy/ir.ts";
import type { Direction } from "../policy/ir.ts";
import type { PolicyPart } from "../policy/contracts/backend.ts";
import type { Severity } from "./finding.ts";
import type { OrderedRule } from "../verdicts/entries.ts";

/** A policy, or a rule of it. */
export interface Target {
  readonly key: PolicyKey;
  readonly at: { readonly direction: Direction; readonly rule: Rule } | null;
  /** How the object is named where its key does not say it: it is no policy that was read. */
  readonly ref?: Ref;
}

export interface Draft {
  readonly severity: Severity;
  readonly target: Target;
  /** A part of the policy, or the path of a field. */
  readonly field: PolicyPart | string;
  readonly message: string;
  readonly fix: string;
  readonly related?: readonly Target[];
  /** What distinguishes it from other findings of the id about the same rule; "" unless given. */
  readonly about?: string;
  /** Of the field, where there is one right mending; none unless given. */
  readonly edit?: FieldEdit;
  /** `file:line`, or null; absent: where the field is written. */
  readonly place?: string | null;
}

type RulePart = Extract<PolicyPart, { kind: "rule" }>["field"];

export function ofRule({ policy, direction, rule }: OrderedRule): Target {
  return { key: policy.key, at: { direction, rule } };
}

export function ofPolicy({ key }: Pick<Policy, "key">): Target {
  return { key, at: null };
}

export function partOf({ direction, rule }: OrderedRule, field: RulePart = "rule"): PolicyPart {
  return { kind: "rule", direction, index: rule.index, field };
}
