// Policies of the order that NetworkPolicies have. In one stack the text of a tie says which of both comes first; the rows beside another
// program's NetworkPolicies have all of these first.

import type { CalicoPolicy, Manifest } from "../../oracle/calico/manifests.ts";
import { metadataOf } from "../../oracle/calico/manifests.ts";
import { nameOf, netpolText, ownerTypes } from "./meaning.ts";

/** Of NetworkPolicies in tier `default`. */
const theirOrder = 1000;

/**
 * The word for a rule that decides, as `Stricter` has it. One of the tied policies may allow in the place of a NetworkPolicy, so both have
 * one word; where one of them passes, its Pass may be in that place, so neither is compared.
 */
export function wordBeside(manifests: readonly Manifest[]): (rule: string) => string | null {
  const tied = manifests.filter(isTied);
  const owners = new Set(tied.map(ownerText));
  const word = tied.some(hasPass) ? null : "an allow of the NetworkPolicies' order";
  const ofNetworkPolicies = new Set([netpolText("ingress"), netpolText("egress")]);
  return (rule) => {
    const [owner = "", , , action] = rule.split(" ");
    return ofNetworkPolicies.has(rule) || (owners.has(owner) && action === "allow") ? word : rule;
  };
}

function isTied(one: Manifest): one is CalicoPolicy {
  if (one.kind !== "GlobalNetworkPolicy" && (one.kind !== "NetworkPolicy" || !isOfCalico(one))) return false;
  const { tier = "default", order } = one.spec as CalicoPolicy["spec"];
  return tier === "default" && order === theirOrder;
}

function isOfCalico({ apiVersion }: Manifest): boolean {
  return apiVersion !== "networking.k8s.io/v1";
}

function hasPass({ spec: { ingress = [], egress = [] } }: CalicoPolicy): boolean {
  return [...ingress, ...egress].some(({ action }) => action === "Pass");
}

function ownerText(one: CalicoPolicy): string {
  const { namespace = null, name } = metadataOf(one);
  return `${ownerTypes[`projectcalico.org/${one.kind}`] ?? "?"}/${nameOf(namespace, name)}`;
}
