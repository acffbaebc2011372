// What the texts of a policy ask of the stack: levels, and in each direction whether a rule passes, or would if it could. No pod and
// no namespace changes it. Pure.

import { everything } from "../../../model/selector.ts";
import type { Direction, Policy, Rule } from "../../../policy/ir.ts";
import type { EndTerm } from "../../../policy/normal-form.ts";
import { formOf, subjectForm } from "../../../policy/normal-form.ts";
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
  return isTrailing &&
    isUnconditional(first, direction) &&
    appliesToEveryPod(policy) &&
    !isLogged(policy, first)
    ? "trailing"
    : "other";
}

/** It matches whatever its policy applies to. */
function isUnconditional(rule: Rule, direction: Direction): boolean {
  if (rule.share !== null || rule.subject !== null) return false;
  const { source, destination, traffic, isTranslated } = formOf(rule, direction);
  const [own, peers] = direction === "ingress" ? [destination, source] : [source, destination];
  return own === null && traffic === null && !isTranslated && (peers ?? []).some(isEverything);
}

function isEverything({ anyOf, noneOf, within }: EndTerm): boolean {
  const parts = [noneOf.pods, noneOf.sameNamespaces, noneOf.nodes, noneOf.networks];
  return (
    anyOf.everything && within === null && !noneOf.everything && parts.every(({ length }) => length === 0)
  );
}

/** By its text. Among policies whose rules take turns, the last rule of one is not the last. */
function appliesToEveryPod({ subject, interleaved }: Policy): boolean {
  const isEvery = (text: string): boolean => text === everything.text;
  return (
    interleaved !== true &&
    subjectForm(subject).pods.some(({ namespaces, pods }) => isEvery(namespaces.text) && isEvery(pods.text))
  );
}

/** Without a row it would not be. */
function isLogged({ logging }: Policy, rule: Rule): boolean {
  return (rule.logging === null ? logging.pass : rule.logging.severity) !== null;
}
