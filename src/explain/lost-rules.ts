// The rules that match a side of a connection too and do not decide it, each with why. Invariant: with the steps that were
// taken they are exactly the rules that match on this side, and the isolation of tiers that were not reached.

import type { Connection, Step } from "../policy/evaluate.ts";
import { isolation } from "../policy/evaluate.ts";
import type { Direction, Policy, Rule, Tier } from "../policy/ir.ts";
import {
  byTier,
  compareTiers,
  isOrderOpen,
  isSameTier,
  placeInTurn,
  rulesInOrder,
  takeTurns,
} from "../policy/order.ts";
import type { LostReason, LostRule } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import { matches } from "../analysis/parts.ts";

/** What was taken of a tier: one step, or several that tie; none: the tier was not reached, or says nothing. */
type Taken = readonly Step[];

/** `taken`: passes, and the step that decided or those that tie. `upTo`: the last tier that is looked at; null: every one is. */
export function lostOn(
  direction: Direction,
  connection: Connection,
  asked: AskedWorld,
  taken: Taken,
  upTo: Tier | null,
): readonly LostRule[] {
  const { facts } = asked;
  const lost: LostRule[] = [];
  for (const [tier, ofTier] of byTier(asked.policiesOf(connection))) {
    if (upTo !== null && compareTiers(tier, upTo) > 0) break;
    const steps = taken.filter(({ policy }) => isSameTier(policy.tier, tier));
    const matching = rulesInOrder(ofTier, direction).filter(({ policy, rule }) =>
      matches({ policy, direction, rule, connection, world: facts }),
    );
    const met = new Set<Policy>();
    for (const { policy, rule } of matching) {
      const isFirst = !met.has(policy);
      met.add(policy);
      if (steps.some((step) => step.policy === policy && step.rule === rule)) continue;
      lost.push({
        ...asked.stepOf(policy, direction, rule),
        because: because(steps, policy, rule, isFirst),
      });
    }
    // Where a rule of the tier matches, nothing is unmatched.
    if (steps.length > 0 || matching.length > 0) continue;
    const isolating = isolation(direction, connection, facts, ofTier);
    if (isolating !== null)
      lost.push({ ...asked.stepOf(isolating.policy, direction, null), because: "tier-before" });
  }
  return lost;
}

/** `isFirst`: no earlier rule of its policy matches. */
function because(steps: Taken, policy: Policy, rule: Rule, isFirst: boolean): LostReason {
  if (steps.length === 0) return "tier-before";
  if (steps.every((step) => step.rule?.action === "pass")) return "passed";
  if (steps.some((step) => step.policy === policy)) return "rule-before";
  const turn = steps.find((step) => takeTurns(step.policy, policy));
  if (turn !== undefined) return isSamePlace(turn, rule) ? "equal" : "turn-before";
  const isEqual = steps.some((step) => isOrderOpen(step.policy, policy) && step.rule?.action === rule.action);
  return isFirst && isEqual ? "equal" : "policy-before";
}

function isSamePlace({ rule: taken }: Step, rule: Rule): boolean {
  return taken !== null && placeInTurn(taken) === placeInTurn(rule);
}
