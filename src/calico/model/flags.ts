// What other flags must say beside this model.

import type { FlagDemand } from "../../policy/contracts/policy-model.ts";

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
    ...{ flag: "enable-network-policy", values: ["true"], mustBeGiven: true },
    reason:
      "NetworkPolicies are in Calico's tier default, and rows of another program for them are not supported yet",
  },
];
