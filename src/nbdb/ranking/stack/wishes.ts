// What the texts of a policy ask of the stack: levels, and in each direction whether a rule passes, or would if it could. No pod and
// no namespace changes it. Pure.

import { everything } from "../../../model/selector.ts";
import type { Direction, Policy, Rule } from "../../../policy/ir.ts";
import { lengthOf } from "../ranked.ts";

/**
 * `trailing`: one rule passes, the last; it has no condition, and the policy applies to every pod. `other`: any other rule passes.
 */
export type PassWish = "none" | "trailing" | "other";

export interface Member {
  readonly policy: Policy;
  readonly levels: number;
  readonly wish: Readonly<Record<Direction, PassWish>>;
}

export function memberOf(policy: Policy): Member {
  return {
    policy,
    levels: lengthOf(policy),
    wish: { ingress: wishOf(policy, "ingress"), egress: wishOf(policy, "egress") },
  };
}

/** Whether the rule passes as it was written. */
export function wantsToPass({ action, closedFrom }: Rule): boolean {
  return (closedFrom ?? action) === "pass";
}

function wishOf(policy: Policy, direction: Direction): PassWish {
  const rules = policy.rules[direction];
  const passing = rules.filter(wantsToPass);
  const [first] = passing;
  if (first === undefined) return "none";
  const isTrailing = passing.length === 1 && first === rules.at(-1);
  return isTrailing && isUnconditional(first) && appliesToEveryPod(policy) && !isLogged(policy, first)
    ? "trailing"
    : "other";
}

/** It matches whatever its policy applies to. */
function isUnconditional({ share, subject, own, peers, ports, translated }: Rule): boolean {
  const isNarrow = share !== null || subject !== null || own !== undefined || translated !== undefined;
  return !isNarrow && ports === null && peers.some(({ kind }) => kind === "everything");
}

/** By its text. Among policies whose rules take turns, the last rule of one is not the last. */
function appliesToEveryPod({ subject, interleaved }: Policy): boolean {
  const isEvery = (text: string): boolean => text === everything.text;
  return (
    interleaved !== true &&
    subject.some((one) => one.kind === "pods" && isEvery(one.namespaces.text) && isEvery(one.pods.text))
  );
}

/** Without a row it would not be. */
function isLogged({ logging }: Policy, rule: Rule): boolean {
  return (rule.logging === null ? logging.pass : rule.logging.severity) !== null;
}
