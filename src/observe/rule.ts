// What packets met, by the names that users know: a rule of a policy, what a policy denies by default, or the isolation of a
// namespace. And whether the packets opened connections, or belonged to such as were open.

import type { Ref } from "../analysis/ref.ts";
import { refText, ruleText } from "../analysis/ref.ts";
import type { Action, Direction } from "../policy/ir.ts";

/** `any`: the switch does not tell them apart, as of rules that pass, and of those without a state of connections. */
export const connectionStates = ["new", "established", "any"] as const;
export type ConnectionState = (typeof connectionStates)[number];

export interface ObservedRule {
  /** Its `name` is "" where policies of the namespace share what is met. */
  readonly policy: Ref;
  readonly direction: Direction;
  /**
   * In the list of its direction, from 0; `default`: what no rule of the policy matches; `isolation`: what no policy of the
   * namespace allows; null: the row is another program's.
   */
  readonly rule: number | "default" | "isolation" | null;
  readonly action: Action;
  /** The action as the users of its kind write it. */
  readonly word: string;
}

/** Equal for equal rules. */
export function keyOfRule({ policy, direction, rule, action }: ObservedRule): string {
  return JSON.stringify([policy.group, policy.kind, policy.namespace, policy.name, direction, rule, action]);
}

/** `AdminNetworkPolicy deny-db`, and `NetworkPolicy shop` where the policies of a namespace share it. A user's text. */
export function policyText({ policy }: ObservedRule): string {
  if (policy.name !== "") return refText(policy);
  return `${policy.kind} ${policy.namespace ?? ""}`.trimEnd();
}

/** `ingress[2]`, `ingress default`. */
export function placeText({ direction, rule }: ObservedRule): string {
  if (typeof rule === "number") return ruleText(direction, { index: rule, name: "" });
  return rule === null ? direction : `${direction} ${rule}`;
}
