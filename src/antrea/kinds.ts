// The kinds of crd.antrea.io/v1beta1 and what they are called. Three installed kinds are named NetworkPolicy or
// ClusterNetworkPolicy twice: look one up by group and kind.

import type { ObjectKind } from "../model/object.ts";
import type { PolicyKindTraits } from "../policy/contracts/dialect.ts";
import type { RowForm } from "../policy/contracts/row-form.ts";
import { conditions, eventsOf } from "./words.ts";
import { expected } from "./numbers.ts";

const api = { group: "crd.antrea.io", version: "v1beta1" } as const;

export const actions = [
  ["Allow", "allow"],
  ["Drop", "deny"],
  ["Reject", "reject"],
  ["Pass", "pass"],
] as const;

/** What else this group has: no misspelled policy. */
const besides = [
  ...[
    "AntreaAgentInfo",
    "AntreaControllerInfo",
    "BGPPolicy",
    "Egress",
    "ExternalEntity",
    "ExternalIPPool",
    "ExternalNode",
  ],
  ...[
    "IPPool",
    "NodeLatencyMonitor",
    "PacketCapture",
    "SupportBundleCollection",
    "Traceflow",
    "TrafficControl",
  ],
];

/** Antrea: traffic from a node to its own pods is allowed whatever the rules say. Probes of the kubelet need it. */
const nodesReachOwnPods = "first";

/** Sets of its own, because a switch of its own decides whether they are followed: rows of a kind that is off stay as they are. */
const rowForm: RowForm = { sets: "selector", ownerType: "NorthgateAntreaSelector" };

export const clusterPolicyKind: PolicyKindTraits = {
  ...api,
  kind: "ClusterNetworkPolicy",
  resource: "clusternetworkpolicies",
  namespaced: false,
  shortKind: "ACNP",
  ownerType: "AntreaClusterNetworkPolicy",
  rowForm,
  expected,
  besides,
  metrics: { prefix: "northgate", name: "antrea_cluster_network_policies" },
  actions,
  events: eventsOf("ACNP"),
  nodesReachOwnPods,
  conditions,
};

export const policyKind: PolicyKindTraits = {
  ...api,
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  namespaced: true,
  shortKind: "ANNP",
  ownerType: "AntreaNetworkPolicy",
  rowForm,
  expected,
  metrics: { prefix: "northgate", name: "antrea_network_policies" },
  actions,
  events: eventsOf("ANNP"),
  nodesReachOwnPods,
  conditions,
};

export const tierKind: ObjectKind = { ...api, kind: "Tier", resource: "tiers", namespaced: false };

export const clusterGroupKind: ObjectKind = {
  ...{ ...api, kind: "ClusterGroup", resource: "clustergroups", namespaced: false },
};

export const groupKind: ObjectKind = { ...api, kind: "Group", resource: "groups", namespaced: true };
