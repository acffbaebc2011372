// AdminNetworkPolicy and BaselineAdminNetworkPolicy → IR: the limits of the API, the names of its fields, and where a policy
// stands.

import { readNamespacedPods } from "../kubernetes/groups.ts";
import type { TieredTraits } from "../kubernetes/tiered.ts";
import { tieredDialect } from "../kubernetes/tiered.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { NamesMode } from "../policy/contracts/names.ts";
import type { PeerKind } from "../kubernetes/peers.ts";
import { tiers } from "../policy/ir.ts";
import { adminKind, baselineKind } from "./kinds.ts";
import { readPorts } from "./ports.ts";

/** The most rules of a direction, peers of a rule and ports of a rule. */
const max = 100;
/** The highest priority that the API stores. */
const highestStored = 1000;

const egressPeers: readonly PeerKind[] = ["namespaces", "pods", "nodes", "networks"];

/** `names`: how domain names of Allow rules are resolved. */
function dialect(traits: Omit<TieredTraits, "rules">, names: NamesMode): Dialect {
  return tieredDialect({
    ...traits,
    rules: {
      actions: new Map(traits.kind.actions),
      max,
      peers: { max, readPods: readNamespacedPods, names },
      // Where they are not resolved, names of domains are unknown, as to OVN-Kubernetes: their rules fail closed.
      egressPeers: names === "off" ? egressPeers : [...egressPeers, "domainNames"],
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

export function adminNetworkPolicyWith(names: NamesMode): Dialect {
  return dialect(
    {
      kind: adminKind,
      checkName: () => undefined,
      placeFields: ["priority"],
      // The backend decides which priorities it has places for.
      readPlace(spec) {
        const priority = spec.at("priority").integer(0, highestStored);
        return priority === null ? null : { tier: tiers.admin, priority };
      },
    },
    names,
  );
}

/** Domain names are not resolved. */
export const adminNetworkPolicy = adminNetworkPolicyWith("off");

/** Its API has no domain names. */
export const baselineAdminNetworkPolicy = dialect(
  {
    kind: baselineKind,
    checkName(name) {
      if (name.raw !== "default")
        name.error(`must be "default", not ${name.quoted}: a cluster has one baseline`, "InvalidName");
    },
    placeFields: [],
    readPlace: () => ({ tier: tiers.baseline, priority: 0 }),
  },
  "off",
);
