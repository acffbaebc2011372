// The sets of OVN-Kubernetes' NetworkPolicies: one Address_Set for each selector and family, for all NetworkPolicies with the
// selector, under the selector's documented text. NetworkPolicy's alone, so that its rows can be taken over as they are.
// Invariant: the unit, its names and its rows follow from the group and the families alone.

import { isReused } from "../../../lib/identity.ts";
import type { IpFamily } from "../../../model/ip.ts";
import { nameKey } from "../../../model/selectable.ts";
import type { Requirement, Selector } from "../../../model/selector.ts";
import { everything, operandsOf } from "../../../model/selector.ts";
import type { PeerGroup } from "../../../policy/ir.ts";
import { groupKey } from "../../../policy/ir.ts";
import { podSelectorOwnerType, podSelectorSetIds } from "../names.ts";
import type { SelectorSets } from "../sets/selector-sets.ts";
import { setNames } from "../sets/selector-sets.ts";
import type { UnitKey, UnitRows } from "../unit.ts";
import { sharedUnit } from "../unit.ts";

/** The unit whose rows have this `k8s.ovn.org/name`. */
export function podSelectorUnit(name: string): UnitKey {
  return sharedUnit(podSelectorOwnerType, name);
}

export function podSelectorSets(group: PeerGroup): SelectorSets {
  const key = selectorKey(group);
  const unit = podSelectorUnit(key);
  const idsOf = (family: IpFamily) => podSelectorSetIds(key, family);
  const names = setNames(idsOf);
  return {
    unit,
    users: null,
    setName: names,
    render: ({ families }, before): UnitRows => {
      if (before !== null && isReused(before.families, families)) return before;
      const addressSets = families.map((family) => {
        const externalIds = idsOf(family);
        const content = { groups: [groupKey(group)], networks: new Set<never>() };
        return { unit, name: names(family), externalIds, family, ...content };
      });
      const part = { portGroup: null, addressSets, acls: [], namedPorts: null };
      return { unit, families, portGroups: [], parts: new Map([["sets", part]]) };
    },
  };
}

/**
 * The documented key: the namespaces, then the pods. A peer of namespaces without a podSelector is marked; one that selects
 * all pods is the same peer, and has the mark too.
 */
export function selectorKey(group: PeerGroup): string {
  if (group.kind !== "pods") return groupKey(group);
  const own = ownNamespace(group.namespaces);
  const namespaces = own ?? selectorText(group.namespaces);
  const legacy = own === null && group.pods.text === everything.text ? "_LNM" : "";
  return `${namespaces}_${selectorText(group.pods)}${legacy}`;
}

/** The namespace's name, where the selector selects one by its name. */
function ownNamespace(namespaces: Selector): string | null {
  if (namespaces.kind !== "requirements") return null;
  const [first, ...others] = namespaces.requirements;
  if (first?.operator !== "In" || first.key !== nameKey || others.length > 0) return null;
  return first.values.length === 1 ? (first.values[0] ?? null) : null;
}

/** As Go prints a label selector. One value of a key is a label; selectors that mean the same share one text. */
function selectorText(selector: Selector): string {
  if (selector.kind !== "requirements") return selector.text;
  const isLabel = (one: Requirement) => one.operator === "In" && one.values.length === 1;
  const labels = selector.requirements.filter(isLabel).map(labelText).join("");
  const others = selector.requirements.filter((one) => !isLabel(one)).map(expressionText);
  return `LS{${labels === "" ? "" : `ML:{${labels}},`}${others.length === 0 ? "" : `ME:{${others.join("")}},`}}`;
}

function labelText(requirement: Requirement): string {
  return `${requirement.key}: ${operandsOf(requirement).join("")},`;
}

function expressionText(requirement: Requirement): string {
  const values = operandsOf(requirement).join(" ");
  return `LSR{Key:${requirement.key},Operator:${requirement.operator},Values:[${values}],},`;
}
