// The addresses that address sets should hold, as ascending lists, valid while members do not change: a group that is
// in many sets is iterated and sorted once, and sets of the same groups have the same list. Made again for every commit; reads
// the membership and keeps nothing else.

import { ascending, union } from "../lib/ascending.ts";
import type { Cidr, IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { GroupKey } from "../policy/ir.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import { complementOf } from "./complement.ts";

/** The contents of an address set of one family. */
export interface AddressSources {
  readonly family: IpFamily;
  /** The groups whose addresses are in the set, each once. */
  readonly groups: readonly GroupKey[];
  /** The networks in the set, independent of members. */
  readonly networks: ReadonlySet<Cidr>;
  /** The set holds what is outside of these addresses and networks instead, as the fewest networks. */
  readonly isComplement?: true;
}

/** Whether the set, which is no complement, has the address or network; walks no member. */
export function hasAddress(
  membership: Membership,
  { family, groups, networks }: AddressSources,
  address: string,
): boolean {
  if (networks.has(address as Cidr)) return true;
  const ip = address as IpAddress;
  return familyOf(ip) === family && groups.some((group) => membership.addresses(group).has(ip));
}

type Lists = Readonly<Record<IpFamily, readonly IpAddress[]>>;

/** So many elements of merged lists are kept at the most: a large commit would hold all that it writes. */
const mostKept = 1 << 18;

export class AddressLists {
  readonly #membership: Membership;
  readonly #groups = new Map<GroupKey, Lists>();
  /** Lists of several groups, by family and groups. */
  readonly #merged = new Map<string, readonly string[]>();
  /** Elements of the merged lists. */
  #kept = 0;

  constructor(membership: Membership) {
    this.#membership = membership;
  }

  /** Ascending by code units, each once. */
  of({ family, groups, networks, isComplement }: AddressSources): readonly string[] {
    if (isComplement !== true && networks.size === 0) return this.#merge(family, groups);
    const lists = groups.map((group) => this.#listsOf(group)[family]);
    if (isComplement === true) return ascending(complementOf(family, [...lists.flat(), ...networks]));
    return union([...lists, ascending([...networks])]);
  }

  /** An upper bound of the set's elements; iterates no member. */
  mostIn({ family, groups, networks, isComplement }: AddressSources): number {
    const most = networks.size + this.mostOf(groups);
    return isComplement === true ? 1 + most * (family === "v4" ? 32 : 128) : most;
  }

  /** An upper bound of the groups' addresses, in both families; iterates none of them. */
  mostOf(groups: readonly GroupKey[]): number {
    return groups.reduce((sum, group) => sum + this.#membership.addresses(group).size, 0);
  }

  #merge(family: IpFamily, groups: readonly GroupKey[]): readonly string[] {
    const [first] = groups;
    if (first === undefined) return [];
    if (groups.length === 1) return this.#listsOf(first)[family];
    const key = [family, ...groups].join("\0");
    const known = this.#merged.get(key);
    if (known !== undefined) return known;
    const list = union(groups.map((group) => this.#listsOf(group)[family]));
    this.#keep(key, list);
    return list;
  }

  #keep(key: string, list: readonly string[]): void {
    if (this.#kept + list.length > mostKept) {
      this.#merged.clear();
      this.#kept = 0;
    }
    this.#merged.set(key, list);
    this.#kept += list.length;
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
