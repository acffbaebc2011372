// The sets of host names: what a set of rows is found by that holds what a name or a pattern leads to.

import { ipFamilies } from "../../../model/ip.ts";
import type { HostNameGroup, PolicyHead } from "../../../policy/ir.ts";
import { selectorOwnersOf } from "../form.ts";
import { nameOwnerOf } from "../names.ts";
import { selectorSets } from "./selector-sets.ts";

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
