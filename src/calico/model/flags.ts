// What other flags must say beside this model, and what they say about places.

import type { Flags } from "../../policy/contracts/flags.ts";
import type { FlagDemand } from "../../policy/contracts/policy-model.ts";
import type { TierLayout } from "../../policy/contracts/tier-layout.ts";
import { defaultTier, orderOfNetworkPolicies } from "../place/tier.ts";

const networkPolicies = "enable-network-policy";

export const demands: readonly FlagDemand[] = [
  {
    ...{ flag: "backend", values: ["ovn"], mustBeGiven: false },
    reason: "the packet filter of a node has no tiers of Calico",
  },
  {
    ...{ flag: "enable-antrea-policy", values: ["false"], mustBeGiven: false },
    reason: "policies of Antrea have no place among Calico's tiers",
  },
  {
    ...{ flag: "enable-admin-network-policy", values: ["true"], mustBeGiven: false },
    reason: "another program's rows of cluster-wide policies would stand between Calico's tiers",
  },
  {
    ...{ flag: networkPolicies, values: ["true", "false"], mustBeGiven: true },
    reason: "the places of all rows depend on whose the rows of NetworkPolicies are",
  },
];

/** NetworkPolicies that another program enforces have their rows where they are, and the tiers are around them. */
export function layoutOf(flags: Flags): TierLayout {
  return flags[networkPolicies] === "false"
    ? { tier: defaultTier, priority: orderOfNetworkPolicies }
    : "stack";
}
