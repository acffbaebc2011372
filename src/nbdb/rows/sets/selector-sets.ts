// The shared unit of a group of pods or nodes: one Address_Set for each family served, with the addresses of the group's
// members, for all rules of all policies of the owner's kinds that have the group as a peer; or, where pods are meant by not being
// in groups, with everything else. Invariant: the unit, its names and
// its rows follow from the owner, the group's canonical text and the families alone; nothing of a policy reaches them.

import { ascending } from "../../../lib/ascending.ts";
import { isReused } from "../../../lib/identity.ts";
import type { AddressSources } from "../../../contents/address-lists.ts";
import type { Cidr, IpFamily } from "../../../model/ip.ts";
import { familyOf } from "../../../model/ip.ts";
import type { PeerGroup, PodGroup } from "../../../policy/ir.ts";
import { groupKey } from "../../../policy/ir.ts";
import type { ExternalIds } from "../names.ts";
import { hashedName, selectorSetIds, selectorOwnerType } from "../names.ts";
import { groupText, othersText } from "../match/group-text.ts";
import type { SharedUnit } from "./shared-unit.ts";
import { textHash } from "../../../contents/text-hash.ts";
import type { DesiredAddressSet, UnitKey, UnitRows } from "../unit.ts";
import { sharedUnit } from "../unit.ts";

/** The shared unit of a group, and how a match names its sets. */
export interface SelectorSets extends SharedUnit {
  setName(family: IpFamily): string;
}

/** The unit whose rows have this `k8s.ovn.org/name`. */
export function selectorUnit(owner: string, name: string): UnitKey {
  return sharedUnit(owner, name);
}

/** The names of a group's sets, by their ids; each is hashed once. */
export function setNames(idsOf: (family: IpFamily) => ExternalIds): (family: IpFamily) => string {
  const known = new Map<IpFamily, string>();
  return (family) => {
    const name = known.get(family) ?? hashedName(idsOf(family));
    known.set(family, name);
    return name;
  };
}

/** `owner`: which kinds share them. */
export function selectorSets(group: PeerGroup, owner: string = selectorOwnerType): SelectorSets {
  const key = groupKey(group);
  const content = { groups: [key], networks: new Set<never>() };
  return setsOf({ owner, name: textHash(key), text: groupText(group) }, () => content);
}

/** The sets of what is outside of the groups' addresses and of the networks. */
export interface OthersSets {
  readonly pods: readonly PodGroup[];
  readonly networks: readonly Cidr[];
}

/** Equal for sets with the same contents, and for no group. */
export function othersKey({ pods, networks }: OthersSets): string {
  return `others ${JSON.stringify([ascending(pods.map(groupKey)), ascending(networks)])}`;
}

export function othersSets(of: OthersSets, owner: string): SelectorSets {
  const groups = [...new Set(of.pods.map(groupKey))];
  const text = othersText(of.pods, of.networks);
  return setsOf({ owner, name: textHash(othersKey(of)), text }, (family) => {
    const networks = new Set(of.networks.filter((cidr) => familyOf(cidr) === family));
    return { groups, networks, isComplement: true };
  });
}

function setsOf(
  { owner, name, text }: { readonly owner: string; readonly name: string; readonly text: string },
  contentOf: (family: IpFamily) => Omit<AddressSources, "family">,
): SelectorSets {
  const unit = selectorUnit(owner, name);
  const setOf = (family: IpFamily): DesiredAddressSet => {
    const externalIds = selectorSetIds(owner, name, text, family);
    return { unit, name: names(family), externalIds, family, ...contentOf(family) };
  };
  const names = setNames((family) => selectorSetIds(owner, name, "", family));
  return {
    unit,
    users: null,
    setName: names,
    render: ({ families }, before): UnitRows => {
      if (before !== null && isReused(before.families, families)) return before;
      const part = {
        ...{ portGroup: null, acls: [], namedPorts: null },
        addressSets: families.map(setOf),
      };
      return { unit, families, portGroups: [], parts: new Map([["sets", part]]) };
    },
  };
}
