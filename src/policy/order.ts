// The order in which the policies of one tier, and their rules, are asked. Most APIs order whole policies; where rules of
// several policies take turns, those policies are asked together, as if they were one. Pure.

import type { Action, Policy, Rule } from "./ir.ts";

/** Policies that are asked together: one alone, or all interleaved ones of one tier and priority. */
export type Turn = readonly Policy[];

/** In the order of evaluation. What the policies leave open, turns of one priority, stays in the given order. */
export function turnsOf(tier: readonly Policy[]): readonly Turn[] {
  const turns: Policy[][] = [];
  /** The turn of the interleaved policies, by priority. */
  const together = new Map<number, Policy[]>();
  for (const policy of tier.toSorted((a, b) => a.priority - b.priority)) {
    const turn = policy.interleaved === true ? together.get(policy.priority) : undefined;
    if (turn !== undefined) {
      turn.push(policy);
      continue;
    }
    const alone = [policy];
    turns.push(alone);
    if (policy.interleaved === true) together.set(policy.priority, alone);
  }
  return turns;
}

const actions: readonly Action[] = ["deny", "reject", "allow", "pass"];

/**
 * The place of a rule among those that are asked together: by index, and at one index the action that lets least pass comes
 * first. Rules of one place have one action: which of them decides makes no difference.
 */
export function placeInTurn({ index, action }: Pick<Rule, "index" | "action">): number {
  return index * actions.length + actions.indexOf(action);
}

/** Whether a rule of one policy is asked before a rule of another of its turn; by name where they have one place. */
export function isAskedBefore(
  [policy, rule]: readonly [Policy, Rule],
  [otherPolicy, other]: readonly [Policy, Rule],
): boolean {
  const [place, otherPlace] = [placeInTurn(rule), placeInTurn(other)];
  return place < otherPlace || (place === otherPlace && policy.key < otherPolicy.key);
}
