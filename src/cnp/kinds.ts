// The kind of policy.networking.k8s.io/v1alpha2 and what it is called.

import { conditionWords } from "../kubernetes/conditions.ts";
import { eventWords } from "../kubernetes/events.ts";
import type { PolicyKindTraits } from "../policy/contracts/dialect.ts";

const kind = "ClusterNetworkPolicy";
const shortKind = "CNP";

export const clusterKind: PolicyKindTraits = {
  group: "policy.networking.k8s.io",
  version: "v1alpha2",
  kind,
  resource: "clusternetworkpolicies",
  namespaced: false,
  shortKind,
  ownerType: kind,
  // OVN-Kubernetes has no such kind, so the names of the metrics are ours.
  metrics: { prefix: "northgate", name: "cluster_network_policies" },
  actions: [
    ["Accept", "allow"],
    ["Deny", "deny"],
    ["Pass", "pass"],
  ],
  events: eventWords(shortKind),
  conditions: conditionWords(),
};
