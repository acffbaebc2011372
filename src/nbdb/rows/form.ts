// Decides the form of a policy's rows: which Address_Sets hold the peers of its rules. The two kinds that OVN-Kubernetes
// documents with a set for each rule have that form unless told to share; every other kind has one form. No other file asks
// for a kind.

import type { PolicyHead } from "../../policy/ir.ts";
import type { RenderOptions } from "./render-mode.ts";

/**
 * `setARule`: each rule has one set for each family, with all its peers. `setASelector`: each group of pods or nodes has one
 * set for each family, which every rule of every policy and kind of the form shares; networks stand in the match. `antrea`: the
 * same with sets of its own, because a switch of its own decides whether they are followed. `networkPolicy`: that of
 * OVN-Kubernetes' NetworkPolicies: sets that they share alone, an ACL of its own for a rule's networks, the port last in the
 * match, and default denies in the isolation of the namespace.
 */
export type RowForm = "setARule" | "setASelector" | "antrea" | "networkPolicy";

/** Owner types of the kinds whose rows OVN-Kubernetes documents with a set for each rule. */
const documented: ReadonlySet<string> = new Set(["AdminNetworkPolicy", "BaselineAdminNetworkPolicy"]);

const antrea: ReadonlySet<string> = new Set(["AntreaClusterNetworkPolicy", "AntreaNetworkPolicy"]);

/** Of one policy in one process: the options stay the same as long as the program runs. */
export function rowForm({ ownerType }: PolicyHead, { addressSets = "rule" }: RenderOptions): RowForm {
  if (ownerType === "NetworkPolicy") return "networkPolicy";
  if (antrea.has(ownerType)) return "antrea";
  return documented.has(ownerType) && addressSets === "rule" ? "setARule" : "setASelector";
}

/** Every form in which rows of the kind may stand: an earlier run may have been told another one. */
export function rowFormsOf(ownerType: string): readonly RowForm[] {
  if (ownerType === "NetworkPolicy") return ["networkPolicy"];
  if (antrea.has(ownerType)) return ["antrea"];
  return documented.has(ownerType) ? ["setARule", "setASelector"] : ["setASelector"];
}
