// The frontend of policy.networking.k8s.io/v1alpha2 ClusterNetworkPolicy, which replaces both kinds of v1alpha1: many
// policies in each of two tiers, with the same actions in both. The other files of this folder are private.

import { readPodsAnywhere } from "../kubernetes/groups.ts";
import { conditionWords } from "../kubernetes/conditions.ts";
import { eventWords } from "../kubernetes/events.ts";
import { tieredDialect } from "../kubernetes/tiered.ts";
import { readPlace } from "./place.ts";
import { readProtocols } from "./protocols.ts";

const kind = "ClusterNetworkPolicy";
const shortKind = "CNP";

const actions = [
  ["Accept", "allow"],
  ["Deny", "deny"],
  ["Pass", "pass"],
] as const;

/** The most rules of a direction, peers of a rule and protocols of a rule. */
const max = 25;

export const clusterNetworkPolicy = tieredDialect({
  kind: {
    group: "policy.networking.k8s.io",
    version: "v1alpha2",
    kind,
    resource: "clusternetworkpolicies",
    namespaced: false,
    shortKind,
    ownerType: kind,
    // OVN-Kubernetes has no such kind, so the names of the metrics are ours.
    metrics: { prefix: "northgate", name: "cluster_network_policies" },
    actions,
    events: eventWords(shortKind),
    conditions: conditionWords(),
  },
  checkName: () => undefined,
  placeFields: ["tier", "priority"],
  readPlace,
  rules: {
    actions: new Map(actions),
    max,
    peers: { max, readPods: readPodsAnywhere },
    egressPeers: ["namespaces", "pods", "nodes", "networks", "domainNames"],
    ports: {
      field: "protocols",
      noun: "protocol",
      namedPort: "a destinationNamedPort",
      // Of v1alpha1, and of v1alpha2 before v0.2.0.
      foreign: ["ports"],
      read: (field) => readProtocols(field, max),
    },
  },
});
