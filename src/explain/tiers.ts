// How answers name the tier of a policy: as one of the three that every cluster has, and by a name of its own where it has one.

import type { PolicyHead } from "../policy/ir.ts";
import { tiers } from "../policy/ir.ts";
import { compareTiers, isSameTier } from "../policy/order.ts";
import type { Side, TierRef } from "./answer.ts";

/** A tier between two of the three is shown with the later one, whose policies it is evaluated before. */
export function tierRefOf({ tier, apiTier }: Pick<PolicyHead, "tier" | "apiTier">): TierRef {
  const known = [tiers.admin, tiers.namespaced].find((one) => compareTiers(tier, one) <= 0) ?? tiers.baseline;
  return {
    tier: known.name,
    ...(isSameTier(known, tier) ? {} : { tierName: tier.name }),
    ...(apiTier === undefined ? {} : { apiTier }),
  };
}

/** Of a side that a policy decides. */
export function tierOfSide({ tier = "admin", tierName, apiTier }: Side): TierRef {
  return {
    tier,
    ...(tierName === undefined ? {} : { tierName }),
    ...(apiTier === undefined ? {} : { apiTier }),
  };
}

/** As people know it. A user's text: the caller that prints it makes it harmless. */
export function tierText({ tier, tierName, apiTier }: Partial<TierRef>): string {
  return apiTier ?? tierName ?? tier ?? "";
}
