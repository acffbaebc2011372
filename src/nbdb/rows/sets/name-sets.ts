// The sets of host names: what a set of rows is found by that holds what a name or a pattern leads to.

import type { IpAddress } from "../../../model/ip.ts";
import { ipFamilies, parseIp } from "../../../model/ip.ts";
import type { HostNameGroup, PolicyHead } from "../../../policy/ir.ts";
import { selectorOwnersOf } from "../form.ts";
import { nameOwnerOf } from "../names.ts";
import { selectorSets } from "./selector-sets.ts";

/**
 * The addresses that all Address_Sets hold that policies of the kinds may have for the group. `elements`: of the set of that name, none
 * where there is no such set. What is no address is left out.
 */
export function heldAddresses(
  group: HostNameGroup,
  kinds: Iterable<Pick<PolicyHead, "rowForm">>,
  elements: (name: string) => Iterable<string>,
): readonly IpAddress[] {
  const texts = nameSetsOf(group, kinds).flatMap((name) => [...elements(name)]);
  return texts.map(parseIp).filter((ip) => ip !== null);
}

/** Names of all Address_Sets that policies of the kinds may have for the group, of each family. */
export function nameSetsOf(
  group: HostNameGroup,
  kinds: Iterable<Pick<PolicyHead, "rowForm">>,
): readonly string[] {
  const owners = Array.from(selectorOwnersOf(kinds), nameOwnerOf);
  return owners.flatMap((owner) => {
    const sets = selectorSets(group, owner);
    return ipFamilies.map((family) => sets.setName(family));
  });
}
