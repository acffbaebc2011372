// BaselineAdminNetworkPolicy: the single default policy behind every NetworkPolicy. Named `default`, without priority
// or Pass.

import { tiers } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";
import { dialect } from "./compile.ts";

const actions = [
  ["Allow", "allow"],
  ["Deny", "deny"],
] as const;

export const baselineAdminNetworkPolicy = dialect({
  kind: "BaselineAdminNetworkPolicy",
  shortKind: "BANP",
  resource: "baselineadminnetworkpolicies",
  metrics: { prefix: "ovnkube_controller", name: "baseline_admin_network_policies" },
  actions,
  checkName(name: Field): void {
    if (name.raw !== "default")
      name.error(`must be "default", not ${name.quoted}: a cluster has one baseline`, "InvalidName");
  },
  placeFields: [],
  readPlace: () => ({ tier: tiers.baseline, priority: 0 }),
});
