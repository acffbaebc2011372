// The kinds of policy.networking.k8s.io/v1alpha1 and what they are called.

import type { PolicyKindTraits } from "../policy/contracts/dialect.ts";
import { conditions, eventsOf } from "./words.ts";

function kindOf(
  own: Pick<PolicyKindTraits, "kind" | "shortKind" | "resource" | "metrics" | "actions">,
): PolicyKindTraits {
  return {
    ...{ group: "policy.networking.k8s.io", version: "v1alpha1", namespaced: false, ...own },
    // OVN-Kubernetes uses the kind's name as owner type, and existing rows have it.
    ownerType: own.kind,
    rowForm: { sets: "rule" },
    ...{ events: eventsOf(own.shortKind), conditions },
  };
}

/** Any number of policies, ordered by priority, with a Pass that leaves the decision to later tiers. */
export const adminKind = kindOf({
  kind: "AdminNetworkPolicy",
  shortKind: "ANP",
  resource: "adminnetworkpolicies",
  metrics: { prefix: "ovnkube_controller", name: "admin_network_policies" },
  actions: [
    ["Allow", "allow"],
    ["Deny", "deny"],
    ["Pass", "pass"],
  ],
});

/** The single default policy behind every NetworkPolicy. Named `default`, without priority or Pass. */
export const baselineKind = kindOf({
  kind: "BaselineAdminNetworkPolicy",
  shortKind: "BANP",
  resource: "baselineadminnetworkpolicies",
  metrics: { prefix: "ovnkube_controller", name: "baseline_admin_network_policies" },
  actions: [
    ["Allow", "allow"],
    ["Deny", "deny"],
  ],
});
