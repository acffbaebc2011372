// The order of evaluation: of tiers, of the policies of a tier, and of their rules. It is the one place that compares tiers
// and priorities, whose numbers may be infinite. Most APIs order whole policies; where rules of several policies take turns,
// those policies are asked together, as if they were one. Pure.

import { compareTexts } from "../lib/ascending.ts";
import type { Action, Direction, Policy, PolicyHead, Rule, Tier } from "./ir.ts";

/** Equal for one tier. */
export type TierKey = string & { readonly __brand: "TierKey" };

/** Equal for policies of one tier and priority. */
export type PlaceKey = string & { readonly __brand: "PlaceKey" };

/** What the order of whole policies depends on. */
export type Precedence = Pick<PolicyHead, "tier" | "priority" | "tie" | "interleaved" | "key">;

/** Policies that are asked together: one alone, all interleaved ones of one tier and priority, or all of them with a tie text. */
export type EqualPolicies = readonly Policy[];

/** Of numbers that may be infinite; negative: `a` is first. */
export function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By order, and by name where that is the same: two tiers never mix. Negative: `a` is first. */
export function compareTiers(a: Tier, b: Tier): number {
  return compareNumbers(a.order, b.order) || compareTexts(a.name, b.name);
}

export function isSameTier(a: Tier, b: Tier): boolean {
  return a.order === b.order && a.name === b.name;
}

export function tierKey({ name, order }: Tier): TierKey {
  return `${order} ${name}` as TierKey;
}

export function placeKey({ tier, priority }: Pick<Precedence, "tier" | "priority">): PlaceKey {
  return `${priority} ${tierKey(tier)}` as PlaceKey;
}

/** The policies of each tier, tiers in their order and policies in the given one. */
export function byTier<T extends Pick<PolicyHead, "tier">>(
  policies: readonly T[],
): readonly (readonly [Tier, readonly T[]])[] {
  const orders = [...Map.groupBy(policies, ({ tier }) => tier.order)];
  return orders.sort(([a], [b]) => compareNumbers(a, b)).flatMap(([, same]) => byName(same));
}

/** Of tiers of one order. */
function byName<T extends Pick<PolicyHead, "tier">>(
  policies: readonly T[],
): readonly (readonly [Tier, readonly T[]])[] {
  const names = [...Map.groupBy(policies, ({ tier }) => tier.name)];
  return names
    .sort(([a], [b]) => compareTexts(a, b))
    .flatMap(([, same]) => same.slice(0, 1).map(({ tier }) => [tier, same] as const));
}

/** The policies of one tier by their priorities. */
export function byPriority(tier: readonly Policy[]): readonly (readonly Policy[])[] {
  const priorities = [...Map.groupBy(tier, ({ priority }) => priority)];
  return priorities.sort(([a], [b]) => compareNumbers(a, b)).map(([, same]) => same);
}

/** The text that decides among policies of one tier and priority; null: none does, or their rules take turns. */
function tieOf({ tie, interleaved }: Precedence): string | null {
  return interleaved === true ? null : (tie ?? null);
}

function comparePlaces(a: Precedence, b: Precedence): number {
  return compareTiers(a.tier, b.tier) || compareNumbers(a.priority, b.priority);
}

/** Negative: `a` is first; 0: which of them is first is open, or their rules take turns. Not an order to sort by. */
export function compareDecided(a: Precedence, b: Precedence): number {
  const places = comparePlaces(a, b);
  const [tie, other] = [tieOf(a), tieOf(b)];
  if (places !== 0 || tie === null || other === null) return places;
  return compareTexts(tie, other) || compareTexts(a.key, b.key);
}

/** A place in an order of all policies, in which nothing is open. */
export interface Rank extends Pick<PolicyHead, "tier" | "priority"> {
  /** null: it follows those that have one. */
  readonly tie: string | null;
  /** Decides where nothing else does. */
  readonly name: string;
}

export function rankOf(policy: Precedence): Rank {
  const { tier, priority, key } = policy;
  return { tier, priority, tie: tieOf(policy), name: key };
}

export function compareRanks(a: Rank, b: Rank): number {
  const places = compareTiers(a.tier, b.tier) || compareNumbers(a.priority, b.priority);
  if (places !== 0) return places;
  if (a.tie === null || b.tie === null)
    return Number(a.tie === null) - Number(b.tie === null) || compareTexts(a.name, b.name);
  return compareTexts(a.tie, b.tie) || compareTexts(a.name, b.name);
}

/** In the order of evaluation; what is open stays in the given order. Of one priority, those with a tie text are together. */
export function inOrder<T>(list: readonly T[], standingOf: (one: T) => Precedence): readonly T[] {
  const sorted = list.toSorted((a, b) => comparePlaces(standingOf(a), standingOf(b)));
  const tied = sorted.filter((one) => tieOf(standingOf(one)) !== null);
  if (tied.length === 0) return sorted;
  const byPlace = Map.groupBy(tied, (one) => placeKey(standingOf(one)));
  return sorted.flatMap((one) => {
    const existing = standingOf(one);
    if (tieOf(existing) === null) return [one];
    const all = byPlace.get(placeKey(existing)) ?? [];
    byPlace.delete(placeKey(existing));
    return all.sort((a, b) => compareDecided(standingOf(a), standingOf(b)));
  });
}

/** Of one tier, in the order of evaluation. What the policies leave open, turns of one priority, stays in the given order. */
export function equalsOf(tier: readonly Policy[]): readonly EqualPolicies[] {
  const turns: Policy[][] = [];
  /** The turns of several policies, by priority. */
  const [taking, tied] = [new Map<number, Policy[]>(), new Map<number, Policy[]>()];
  for (const policy of inOrder(tier, (one) => one)) {
    const together = policy.interleaved === true ? taking : policy.tie === undefined ? null : tied;
    const turn = together?.get(policy.priority);
    if (turn !== undefined) {
      turn.push(policy);
      continue;
    }
    const alone = [policy];
    turns.push(alone);
    together?.set(policy.priority, alone);
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
export function rulesOfEquals(turn: EqualPolicies, direction: Direction): readonly OwnedRule[] {
  const rules = turn.flatMap((policy) => policy.rules[direction].map((rule) => ({ policy, rule })));
  return turn.length < 2 || turn[0]?.interleaved !== true ? rules : rules.sort(compareInTurn);
}

/** The rules of one tier in the order in which they are asked; what the policies leave open, as `turnsOf` has it. */
export function rulesInOrder(tier: readonly Policy[], direction: Direction): readonly OwnedRule[] {
  return equalsOf(tier).flatMap((turn) => rulesOfEquals(turn, direction));
}

/** Whether rules of the two policies take turns. */
export function takeTurns(one: Policy, other: Policy): boolean {
  return one.interleaved === true && other.interleaved === true && comparePlaces(one, other) === 0;
}

/** Whether the order of the two, or of their rules, is decided though they are of one tier and priority. */
export function isOneTurn(one: Policy, other: Policy): boolean {
  if (takeTurns(one, other)) return true;
  return comparePlaces(one, other) === 0 && tieOf(one) !== null && tieOf(other) !== null;
}

/** Whether it is open which of two policies is asked first. */
export function isOrderOpen(one: Policy, other: Policy): boolean {
  return comparePlaces(one, other) === 0 && !isOneTurn(one, other);
}

function compareInTurn(one: OwnedRule, other: OwnedRule): number {
  const places = placeInTurn(one.rule) - placeInTurn(other.rule);
  return places === 0 ? compareTexts(one.policy.key, other.policy.key) : places;
}

/** Whether a rule of one policy is asked before a rule of another of its turn; by name where they have one place. */
export function isAskedBefore(
  [policy, rule]: readonly [Policy, Rule],
  [otherPolicy, other]: readonly [Policy, Rule],
): boolean {
  if (!takeTurns(policy, otherPolicy)) return compareDecided(policy, otherPolicy) < 0;
  return compareInTurn({ policy, rule }, { policy: otherPolicy, rule: other }) < 0;
}
