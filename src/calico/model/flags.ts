// What other flags must say beside this model, and what they say about places.

import type { FlagOption, Flags } from "../../policy/contracts/flags.ts";
import type { FlagDemand } from "../../policy/contracts/policy-model.ts";
import type { StackLayout } from "../../policy/contracts/tier-layout.ts";
import { defaultTier, orderOfNetworkPolicies } from "../place/tier.ts";

const networkPolicies = "enable-network-policy";
const tierZero = "calico-tier-zero";

export const placeOptions: Readonly<Record<typeof tierZero, FlagOption>> = {
  [tierZero]: {
    argument: "BOOLEAN",
    help: "true: Calico's first tiers are in OVN tier 0, so that one tier more may pass to the next; they skip OVN-Kubernetes' isolation of networks",
    choices: ["true", "false"],
    fallback: "false",
  },
};

export const othersOptions: Readonly<Record<typeof networkPolicies, FlagOption>> = {
  [networkPolicies]: {
    argument: "BOOLEAN",
    help: "with --policy-model calico; false: rows are those of run with false, beside OVN-Kubernetes' own; NetworkPolicies are still judged",
    choices: ["true", "false"],
    fallback: "true",
  },
};

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
export function layoutOf(flags: Flags): StackLayout {
  const isTheirs = flags[networkPolicies] === "false";
  return {
    around: isTheirs ? { tier: defaultTier, priority: orderOfNetworkPolicies } : null,
    beforeIsolation: flags[tierZero] === "true",
  };
}
