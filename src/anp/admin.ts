// AdminNetworkPolicy: any number of them, ordered by priority, with a Pass that leaves the decision to later tiers.

import { tiers } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";
import { dialect } from "./compile.ts";

/** The highest priority that the API stores. */
const highestStored = 1000;

const actions = [
  ["Allow", "allow"],
  ["Deny", "deny"],
  ["Pass", "pass"],
] as const;

export const adminNetworkPolicy = dialect({
  kind: "AdminNetworkPolicy",
  shortKind: "ANP",
  resource: "adminnetworkpolicies",
  metrics: { prefix: "ovnkube_controller", name: "admin_network_policies" },
  actions,
  checkName: () => undefined,
  placeFields: ["priority"],
  // The backend decides which priorities it has places for.
  readPlace(spec: Field) {
    const priority = spec.at("priority").integer(0, highestStored);
    return priority === null ? null : { tier: tiers.admin, priority };
  },
});
