// The addresses that address sets should hold, as sorted lists, for as long as members do not change: a group that is in
// many sets is walked and sorted once. Made anew for every commit; asks the membership and keeps nothing beyond.

import type { IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { GroupKey } from "../policy/ir.ts";
import type { Membership } from "../policy/membership.ts";
import type { DesiredAddressSet } from "./render.ts";

type Lists = Readonly<Record<IpFamily, readonly string[]>>;

export class AddressLists {
  readonly #membership: Membership;
  readonly #groups = new Map<GroupKey, Lists>();

  constructor(membership: Membership) {
    this.#membership = membership;
  }

  /** Ascending by code units, each once. */
  of({ family, groups, networks }: DesiredAddressSet): readonly string[] {
    const [first = [], ...others] = groups.map((group) => this.#listsOf(group)[family]);
    if (others.length === 0 && networks.size === 0) return first;
    return ascending([...networks, ...first, ...others.flat()]);
  }

  /** No more than so many are in the set; walks none of them. */
  mostOf({ groups, networks }: DesiredAddressSet): number {
    return groups.reduce((sum, group) => sum + this.#membership.addresses(group).size, networks.size);
  }

  #listsOf(group: GroupKey): Lists {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const { v4 = [], v6 = [] } = Object.groupBy(this.#membership.addresses(group).keys(), familyOf);
    const lists = { v4: ascending(v4), v6: ascending(v6) };
    this.#groups.set(group, lists);
    return lists;
  }
}

function ascending(addresses: string[]): readonly string[] {
  addresses.sort();
  return addresses.filter((address, at) => address !== addresses[at - 1]);
}
