// The order in which the policies of one tier, and their rules, are asked. Most APIs order whole policies; where rules of
// several policies take turns, those policies are asked together, as if they were one. Pure.

import type { Action, Direction, Policy, Rule } from "./ir.ts";

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

/** A rule with the policy that it is of. */
export interface OwnedRule {
  readonly policy: Policy;
  readonly rule: Rule;
}

/** The rules of a turn in the order in which they are asked; those of one place by the keys of their policies. */
export function rulesOfTurn(turn: Turn, direction: Direction): readonly OwnedRule[] {
  const rules = turn.flatMap((policy) => policy.rules[direction].map((rule) => ({ policy, rule })));
  return turn.length < 2 ? rules : rules.sort(compareInTurn);
}

/** The rules of one tier in the order in which they are asked; what the policies leave open, as `turnsOf` has it. */
export function rulesInOrder(tier: readonly Policy[], direction: Direction): readonly OwnedRule[] {
  return turnsOf(tier).flatMap((turn) => rulesOfTurn(turn, direction));
}

/** Whether rules of the two policies take turns. */
export function takeTurns(one: Policy, other: Policy): boolean {
  return (
    one.interleaved === true &&
    other.interleaved === true &&
    one.tier.order === other.tier.order &&
    one.priority === other.priority
  );
}

function compareInTurn(one: OwnedRule, other: OwnedRule): number {
  const [place, otherPlace] = [placeInTurn(one.rule), placeInTurn(other.rule)];
  if (place !== otherPlace) return place - otherPlace;
  return one.policy.key < other.policy.key ? -1 : one.policy.key > other.policy.key ? 1 : 0;
}

/** Whether a rule of one policy is asked before a rule of another of its turn; by name where they have one place. */
export function isAskedBefore(
  [policy, rule]: readonly [Policy, Rule],
  [otherPolicy, other]: readonly [Policy, Rule],
): boolean {
  const [place, otherPlace] = [placeInTurn(rule), placeInTurn(other)];
  return place < otherPlace || (place === otherPlace && policy.key < otherPolicy.key);
}
