// The shared unit of a group of pods or nodes: one Address_Set for each family served, with the addresses of the group's
// members, for all rules of all policies of the owner's kinds that have the group as a peer. Invariant: the unit, its names and
// its rows follow from the owner, the group's canonical text and the families alone; nothing of a policy reaches them.

import { isReused } from "../../lib/identity.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { PeerGroup } from "../../policy/ir.ts";
import { groupKey } from "../../policy/ir.ts";
import type { ExternalIds } from "./names.ts";
import { hashedName, selectorSetIds, selectorOwnerType } from "./names.ts";
import { groupText } from "./match/group-text.ts";
import type { SharedUnit } from "./shared-unit.ts";
import { textHash } from "../../contents/text-hash.ts";
import type { DesiredAddressSet, UnitKey, UnitRows } from "./unit.ts";
import { sharedUnit } from "./unit.ts";

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
  const name = textHash(key);
  const unit = selectorUnit(owner, name);
  const setOf = (family: IpFamily): DesiredAddressSet => {
    const externalIds = selectorSetIds(owner, name, groupText(group), family);
    return { unit, name: names(family), externalIds, family, groups: [key], networks: new Set() };
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
