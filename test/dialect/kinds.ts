// The kinds of traffic.test and what they are called.

import type { ObjectKind } from "../../src/model/object.ts";
import type { PolicyKindTraits } from "../../src/policy/contracts/dialect.ts";
import { storedTraffic } from "./stored.ts";

const group = "traffic.test";

/** Two groups may serve its kinds: a store of its own is preferred, as it needs no further server. */
const servedAs = [
  { group: `crd.${group}`, version: "v1", respelled: storedTraffic },
  { group, version: "v1" },
];

export const podSetKind: ObjectKind = {
  ...{ group, version: "v1", kind: "PodSet", resource: "podsets", namespaced: false, servedAs },
};

/** Read while the dialect is on, and never otherwise: no other dialect asks for it. */
export const serviceAccountKind: ObjectKind = {
  ...{ group: "", version: "v1", kind: "ServiceAccount", resource: "serviceaccounts", namespaced: true },
};

export const trafficPolicyKind: PolicyKindTraits = {
  ...{ group, version: "v1", kind: "TrafficPolicy", resource: "trafficpolicies", namespaced: false },
  servedAs,
  ...{ shortKind: "TP", ownerType: "TrafficPolicy", conditions: null },
  // A kind that can be switched off shares its sets with no other.
  rowForm: { sets: "selector", ownerType: "TrafficPolicySelector" },
  metrics: { prefix: "northgate", name: "traffic_policies" },
  closesRules: true,
  actions: [
    ["allow", "allow"],
    ["deny", "deny"],
  ],
  events: { problem: () => null, samePriority: null, unmatchedPort: () => null },
};
