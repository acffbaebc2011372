// AdminNetworkPolicy: any number of them, ordered by priority, with a Pass that leaves the decision to later tiers.

import { tiers } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";
import { dialect } from "./compile.ts";

/** The API allows 0..1000; OVN's ACL priorities have room for one hundred policies of one hundred rules. */
const highestStored = 1000;
const highestSupported = 99;

export const adminNetworkPolicy = dialect({
  kind: "AdminNetworkPolicy",
  shortKind: "ANP",
  resource: "adminnetworkpolicies",
  tier: tiers.admin,
  actions: new Map([
    ["Allow", "allow"],
    ["Deny", "deny"],
    ["Pass", "pass"],
  ]),
  fields: ["priority"],
  checkName: () => undefined,
  readPriority(spec: Field): number | null {
    const priority = spec.at("priority").integer(0, highestStored);
    if (priority === null || priority <= highestSupported) return priority;
    const message = `priority ${priority} is not supported: OVN has ACL priorities only for 0-${highestSupported}`;
    return spec.at("priority").error(message, "UnsupportedPriority");
  },
});
