// The kinds of projectcalico.org/v3 and what they are called. Kinds of other groups are named NetworkPolicy and Tier too: look one
// up by group and kind.

import { eventWords } from "../kubernetes/events.ts";
import type { ObjectKind, Spelling } from "../model/object.ts";
import type { PolicyKindTraits } from "../policy/contracts/dialect.ts";
import type { RowForm } from "../policy/contracts/row-form.ts";
import { storedObject, storedPolicy } from "./stored.ts";

const api = { group: "projectcalico.org", version: "v3" } as const;

/** Where objects may be served: as they are kept, before Calico's own API server, which shows the same ones. */
function servedAs(respelled: Spelling["respelled"] & {}): readonly Spelling[] {
  return [{ group: "crd.projectcalico.org", version: "v1", respelled }, api];
}

const policyApi = { ...api, servedAs: servedAs(storedPolicy) } as const;
const objectApi = { ...api, servedAs: servedAs(storedObject) } as const;

const actions: PolicyKindTraits["actions"] = [
  ["Allow", "allow"],
  ["Deny", "deny"],
  ["Pass", "pass"],
];

/** What else the group has: no misspelled policy. Staged policies are never enforced. */
const besides: readonly string[] = [
  ...["StagedGlobalNetworkPolicy", "StagedKubernetesNetworkPolicy", "StagedNetworkPolicy"],
  ...["BGPConfiguration", "BGPFilter", "BGPPeer", "BlockAffinity", "CalicoNodeStatus", "ClusterInformation"],
  ...["FelixConfiguration", "HostEndpoint", "IPAMBlock", "IPAMConfig", "IPAMConfiguration", "IPAMHandle"],
  ...["IPPool", "IPReservation", "KubeControllersConfiguration", "LiveMigration", "Node", "Profile"],
  ...["QoSPolicy", "WorkloadEndpoint"],
];

/** Sets of its own: only what the policies of this API select is in them. */
const rowForm: RowForm = { sets: "selector", ownerType: "NorthgateCalicoSelector" };

/** What both kinds of policy have. A node's traffic to its own pods is not policed (Calico's felix/rules/static.go). */
const policies = {
  ...policyApi,
  rowForm,
  actions,
  besides,
  closesRules: true,
  nodesReachOwnPods: "beforeTiers",
  // The API has no status of policies.
  conditions: null,
} as const;

export const globalKind: PolicyKindTraits = {
  ...policies,
  kind: "GlobalNetworkPolicy",
  resource: "globalnetworkpolicies",
  namespaced: false,
  shortKind: "GNP",
  ownerType: "CalicoGlobalNetworkPolicy",
  metrics: { prefix: "northgate", name: "calico_global_network_policies" },
  // A text decides between policies of one order.
  events: { ...eventWords("GNP"), samePriority: null },
};

export const policyKind: PolicyKindTraits = {
  ...policies,
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  namespaced: true,
  shortKind: "CALNP",
  ownerType: "CalicoNetworkPolicy",
  metrics: { prefix: "northgate", name: "calico_network_policies" },
  events: { ...eventWords("CALNP"), samePriority: null },
};

/** Never enforced. */
export const stagedPolicyKind: ObjectKind = {
  ...{ ...policyApi, kind: "StagedNetworkPolicy", resource: "stagednetworkpolicies", namespaced: true },
};

export const stagedGlobalKind: ObjectKind = {
  ...policyApi,
  ...{ kind: "StagedGlobalNetworkPolicy", resource: "stagedglobalnetworkpolicies", namespaced: false },
};

/** A NetworkPolicy of Kubernetes, which is in no tier of its own choice. */
export const stagedKubernetesKind: ObjectKind = {
  ...objectApi,
  ...{ kind: "StagedKubernetesNetworkPolicy", resource: "stagedkubernetesnetworkpolicies", namespaced: true },
};

export const tierKind: ObjectKind = { ...objectApi, kind: "Tier", resource: "tiers", namespaced: false };

export const networkSetKind: ObjectKind = {
  ...{ ...objectApi, kind: "NetworkSet", resource: "networksets", namespaced: true },
};

export const globalNetworkSetKind: ObjectKind = {
  ...{ ...objectApi, kind: "GlobalNetworkSet", resource: "globalnetworksets", namespaced: false },
};

export const serviceAccountKind: ObjectKind = {
  ...{ group: "", version: "v1", kind: "ServiceAccount", resource: "serviceaccounts", namespaced: true },
};
