// How the evaluation tiers of the installed dialects share the tiers of a backend that has few of them: a property of the set of
// dialects, which says it to whatever puts a backend together. A backend that follows any number of tiers ignores it.

import type { PolicyHead, Tier } from "../ir.ts";
import { compareTiers, isSameTier } from "../order.ts";

/**
 * `threeTiers`: each of the three tiers that every cluster has (policy/ir.ts) has a fixed part, and other tiers are placed before
 * them, between them and behind them. Otherwise no tier is fixed: all of them are one stack.
 */
export type TierLayout = "threeTiers" | StackLayout;

/** All tiers are one sequence by order and name, as long as it is. */
export interface StackLayout {
  /** null: no other program's rows stand in the sequence. */
  readonly around: StackAround | null;
  /**
   * Whether the sequence begins before the rows by which another program keeps networks apart: what its first tiers allow, or pass on,
   * is not asked there. It then has one tier of the backend more.
   */
  readonly beforeIsolation: boolean;
}

/** The sequence alone, behind the isolation of networks. */
export const stack: StackLayout = { around: null, beforeIsolation: false };

/**
 * The rows that another program has in the database for NetworkPolicies: they are members of this tier with this priority. Policies of
 * this tier and priority stand before them.
 */
export interface StackAround {
  readonly tier: Tier;
  readonly priority: number;
}

/** Where a policy stands: `before` the other program's rows, in a tier before theirs or in theirs, or behind them. */
export type Side = "earlierTier" | "sameTier" | "behind";

export function sideOf(policy: Pick<PolicyHead, "tier" | "priority">, around: StackAround): Side {
  if (isSameTier(policy.tier, around.tier)) return policy.priority <= around.priority ? "sameTier" : "behind";
  return compareTiers(policy.tier, around.tier) < 0 ? "earlierTier" : "behind";
}

/** Whether the layout has the tiers in one sequence. */
export function isStack(layout: TierLayout): layout is StackLayout {
  return layout !== "threeTiers";
}

/** null: no other program's rows stand in the sequence. */
export function aroundOf(layout: TierLayout): StackAround | null {
  return isStack(layout) ? layout.around : null;
}
