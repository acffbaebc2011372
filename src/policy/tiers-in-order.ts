// Tiers with their policies in the order in which they are asked. Many connections are asked about one list, so the order of a list is
// kept as long as the list is; a list whose members were changed is ordered again.

import { isSameList } from "../lib/same-list.ts";
import type { Policy, Tier } from "./ir.ts";
import type { EqualPolicies } from "./order.ts";
import { byPriority, byTier, equalsOf } from "./order.ts";

export interface TierInOrder {
  readonly tier: Tier;
  /** In the given order. */
  readonly policies: readonly Policy[];
  readonly turns: readonly EqualPolicies[];
  /** The turns of each priority. */
  readonly levels: readonly (readonly EqualPolicies[])[];
}

interface Kept {
  readonly policies: readonly Policy[];
  readonly tiers: readonly TierInOrder[];
}

const kept = new WeakMap<readonly Policy[], Kept>();

export function tiersInOrder(policies: readonly Policy[]): readonly TierInOrder[] {
  const before = kept.get(policies);
  if (before !== undefined && isSameList(before.policies, policies)) return before.tiers;
  const tiers = byTier(policies).map(([tier, ofTier]) => ({
    ...{ tier, policies: ofTier },
    turns: equalsOf(ofTier),
    levels: byPriority(ofTier).map(equalsOf),
  }));
  kept.set(policies, { policies: [...policies], tiers });
  return tiers;
}
