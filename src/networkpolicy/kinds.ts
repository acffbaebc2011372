// The kind of networking.k8s.io/v1 and what it is called.

import { eventWords } from "../kubernetes/events.ts";
import type { PolicyKindTraits } from "../policy/contracts/dialect.ts";

const shortKind = "NP";

export const kind: PolicyKindTraits = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  namespaced: true,
  besides: ["Ingress", "IngressClass", "IPAddress", "ServiceCIDR"],
  shortKind,
  // OVN-Kubernetes' rows have it too: a switch decides whose they are (docs/decisions/0030).
  ownerType: "NetworkPolicy",
  rowForm: { sets: "networkPolicy" },
  metrics: { prefix: "northgate", name: "network_policies" },
  // Its rules have no field for it: they all allow.
  actions: [["Allow", "allow"]],
  // Policies of this kind have no priority, so that none can be in conflict with another.
  events: { ...eventWords(shortKind), samePriority: null },
  // The API: traffic to and from the node of a pod is always allowed. Probes of the kubelet need it.
  nodesReachOwnPods: "namespaced",
  // The API has no status.
  conditions: null,
};
