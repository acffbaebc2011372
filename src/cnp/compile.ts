// ClusterNetworkPolicy → IR. It replaces both kinds of v1alpha1: many policies in each of two tiers, with the same actions in both.

import { readPodsAnywhere } from "../kubernetes/groups.ts";
import { tieredDialect } from "../kubernetes/tiered.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { NamesMode } from "../policy/contracts/names.ts";
import { clusterKind } from "./kinds.ts";
import { readPlace } from "./place.ts";
import { readProtocols } from "./protocols.ts";

/** The most rules of a direction, peers of a rule and protocols of a rule. */
const max = 25;

/** `names`: how domain names of Accept rules are resolved. */
export function clusterNetworkPolicyWith(names: NamesMode): Dialect {
  return tieredDialect({
    kind: clusterKind,
    checkName: () => undefined,
    placeFields: ["tier", "priority"],
    readPlace,
    rules: {
      actions: new Map(clusterKind.actions),
      max,
      peers: { max, readPods: readPodsAnywhere, names },
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
}

/** Domain names are not resolved. */
export const clusterNetworkPolicy = clusterNetworkPolicyWith("off");
