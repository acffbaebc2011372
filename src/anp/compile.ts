// What AdminNetworkPolicy and BaselineAdminNetworkPolicy share: the API's version, its limits and the names of its fields.

import type { Dialect, PolicyKindTraits } from "../policy/dialect.ts";
import { readNamespacedPods } from "../kubernetes/groups.ts";
import type { TieredTraits } from "../kubernetes/tiered.ts";
import { tieredDialect } from "../kubernetes/tiered.ts";
import { readPorts } from "./ports.ts";
import { conditions, eventsOf } from "./words.ts";

interface KindTraits
  extends
    Pick<PolicyKindTraits, "kind" | "shortKind" | "resource" | "metrics" | "actions">,
    Omit<TieredTraits, "kind" | "rules"> {}

/** The most rules of a direction, peers of a rule and ports of a rule. */
const max = 100;

export function dialect({ kind, shortKind, resource, metrics, actions, ...traits }: KindTraits): Dialect {
  return tieredDialect({
    ...traits,
    kind: {
      group: "policy.networking.k8s.io",
      version: "v1alpha1",
      kind,
      resource,
      namespaced: false,
      shortKind,
      // OVN-Kubernetes uses the kind's name as owner type, and existing rows have it.
      ownerType: kind,
      rowForm: { sets: "rule" },
      ...{ metrics, actions },
      events: eventsOf(shortKind),
      conditions,
    },
    rules: {
      actions: new Map(actions),
      max,
      peers: { max, readPods: readNamespacedPods },
      // Names of domains are unknown here, as to OVN-Kubernetes: their rules fail closed.
      egressPeers: ["namespaces", "pods", "nodes", "networks"],
      ports: {
        field: "ports",
        noun: "port",
        namedPort: "a namedPort",
        foreign: [],
        read: (field) => readPorts(field, max),
      },
    },
  });
}
