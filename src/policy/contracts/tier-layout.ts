// How the evaluation tiers of the installed dialects share the tiers of a backend that has few of them: a property of the set of
// dialects, which says it to whatever puts a backend together. A backend that follows any number of tiers ignores it.

import type { PolicyHead, Tier } from "../ir.ts";
import { compareTiers, isSameTier } from "../order.ts";

/**
 * `threeTiers`: each of the three tiers that every cluster has (policy/ir.ts) has a fixed part, and other tiers are placed before
 * them, between them and behind them. `stack`: no tier is fixed; all of them are one sequence by order and name, as long as it is.
 */
export type TierLayout = "threeTiers" | "stack" | StackAround;

/**
 * As `stack`, around the rows that another program has in the database for NetworkPolicies: they are members of this tier with this
 * priority. Policies of this tier and priority stand before them.
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
export function isStack(layout: TierLayout): layout is Exclude<TierLayout, "threeTiers"> {
  return layout !== "threeTiers";
}

/** null: no other program's rows stand in the sequence. */
export function aroundOf(layout: TierLayout): StackAround | null {
  return typeof layout === "string" ? null : layout;
}
