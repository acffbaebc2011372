// AdminNetworkPolicy: any number of them, ordered by priority, with a Pass that leaves the decision to later tiers.

import { tiers } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";
import { dialect } from "./compile.ts";

/** What the API stores. */
const highestStored = 1000;
/** OVN's ACL priorities have room for one hundred policies of one hundred rules. Goes when the backend's `admit` says so. */
const highestSupported = 99;

function refuseUnsupported(field: Field, priority: number): number | null {
  if (priority <= highestSupported) return priority;
  const message = `priority ${priority} is not supported: OVN has ACL priorities only for 0-${highestSupported}`;
  return field.error(message, "UnsupportedPriority");
}

export const adminNetworkPolicy = dialect({
  kind: "AdminNetworkPolicy",
  shortKind: "ANP",
  resource: "adminnetworkpolicies",
  metrics: {
    name: "admin_network_policies",
    actions: [
      ["Allow", "allow"],
      ["Deny", "deny"],
      ["Pass", "pass"],
    ],
  },
  tier: tiers.admin,
  actions: new Map([
    ["Allow", "allow"],
    ["Deny", "deny"],
    ["Pass", "pass"],
  ]),
  fields: ["priority"],
  checkName: () => undefined,
  readPriority(spec: Field): number | null {
    const field = spec.at("priority");
    const priority = field.integer(0, highestStored);
    return priority === null ? null : refuseUnsupported(field, priority);
  },
});
