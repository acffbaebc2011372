// What the rows beside another program's NetworkPolicies say in other words than one stack. Policies of the order that NetworkPolicies have
// all come before them, whatever the text of the tie; and a Pass out of the last tier is an allow, since those rows would decide behind it.

import type { CalicoPolicy, Manifest } from "../../oracle/calico/manifests.ts";
import { metadataOf } from "../../oracle/calico/manifests.ts";
import { nameOf, netpolText, ownerTypes, ruleText } from "./meaning.ts";

/** Of NetworkPolicies in tier `default`. */
const theirOrder = 1000;

/**
 * The word for a rule that decides, as `Stricter` has it. A tied policy may allow in the place of a NetworkPolicy, so both have one word;
 * where one of them passes, its Pass may be in that place, so neither is compared. Passes never are.
 */
export function wordBeside(manifests: readonly Manifest[]): (rule: string) => string | null {
  const policies = manifests.filter(isCalicoPolicy);
  const passes = new Set(policies.flatMap(passesOf));
  const tied = policies.filter(isTied);
  const owners = new Set(tied.map(ownerText));
  const word = tied.some((one) => passesOf(one).length > 0) ? null : "an allow of the NetworkPolicies' order";
  const ofNetworkPolicies = new Set([netpolText("ingress"), netpolText("egress")]);
  return (rule) => {
    if (passes.has(rule)) return null;
    const [owner = "", , , action] = rule.split(" ");
    return ofNetworkPolicies.has(rule) || (owners.has(owner) && action === "allow") ? word : rule;
  };
}

function isCalicoPolicy(one: Manifest): one is CalicoPolicy {
  if (one.kind === "GlobalNetworkPolicy") return true;
  return one.kind === "NetworkPolicy" && one.apiVersion !== "networking.k8s.io/v1";
}

function isTied({ spec: { tier = "default", order } }: CalicoPolicy): boolean {
  return tier === "default" && order === theirOrder;
}

/** Its Passes, as the rows' allows in their place are told. */
function passesOf(one: CalicoPolicy): readonly string[] {
  return (["ingress", "egress"] as const).flatMap((direction) =>
    (one.spec[direction] ?? []).flatMap(({ action }, index) =>
      action === "Pass" ? [ruleText(ownerOf(one), nameIn(one), direction, index, "allow")] : [],
    ),
  );
}

function ownerText(one: CalicoPolicy): string {
  return `${ownerOf(one)}/${nameIn(one)}`;
}

function ownerOf({ kind }: CalicoPolicy): string {
  return ownerTypes[`projectcalico.org/${kind}`] ?? "?";
}

function nameIn(one: CalicoPolicy): string {
  const { namespace = null, name } = metadataOf(one);
  return nameOf(namespace, name);
}
