// Why a rule that matches too does not decide, in words: the same on a terminal and on the page. Users' text is not in it.

import { policyKey } from "../policy/ir.ts";
import type { Ref, RuleRef } from "../analysis/ref.ts";
import type { LostRule, Side, TierRef } from "./answer.ts";
import { tierText } from "./tiers.ts";

export function remarkOf({ because, rule, policy }: LostRule, side: Side): string {
  const matched = rule === null ? "isolates the pod too, but" : "matches too, but";
  switch (because) {
    case "rule-before":
      return `${matched} ${takenOf(policy, side)} is before it`;
    case "policy-before":
      return `${matched} a policy before it has decided`;
    case "turn-before":
      return `${matched} a rule of another policy of its priority is evaluated before it`;
    case "equal":
      return "also matches, with the same action";
    case "passed":
      return `${matched} this tier was passed before it`;
    case "tier-before":
      return `${matched} the ${tierText(side)} tier has decided`;
  }
}

/** Of a rule that matches and passes on. */
export function passRemark({ tier, apiTier }: TierRef): string {
  return apiTier === undefined
    ? "passes on to the next tier"
    : `passes on, past the rest of the ${tier} tier`;
}

/** The rule of the policy that was taken. */
function takenOf(policy: Ref, { rule, policy: decided, steps, tied = [] }: Side): string {
  const own = [...steps, ...tied].find((step) => policyKey(step.policy) === policyKey(policy))?.rule;
  const taken: RuleRef | null | undefined =
    decided !== undefined && policyKey(decided) === policyKey(policy) ? rule : own;
  return taken === undefined || taken === null ? "a rule" : `${taken.direction}[${taken.index}]`;
}
