// The addresses that address sets should hold, as sorted lists, for as long as members do not change: a group that is in
// many sets is walked and sorted once. Made anew for every commit; asks the membership and keeps nothing beyond.

import type { IpFamily } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import type { GroupKey } from "../../policy/ir.ts";
import type { Membership } from "../../policy/membership.ts";
import { ascending, union } from "../../ovsdb/string-set.ts";
import type { NamedPorts } from "../named-ports/named-ports.ts";
import { portNumberKey } from "../named-ports/named-ports.ts";
import type { DesiredAddressSet, NamedPortRule, NamedPortSet } from "../rows/render.ts";

type Lists = Readonly<Record<IpFamily, readonly string[]>>;

export class AddressLists {
  readonly #membership: Membership;
  readonly #namedPorts: NamedPorts;
  readonly #groups = new Map<GroupKey, Lists>();
  readonly #known = new Map<string, readonly string[]>();

  constructor(membership: Membership, namedPorts: NamedPorts) {
    this.#membership = membership;
    this.#namedPorts = namedPorts;
  }

  /** What the set of this name should hold was found on the way to something else. */
  know(name: string, contents: Iterable<string>): void {
    this.#known.set(name, ascending([...contents]));
  }

  /** Ascending by code units, each once. */
  of(set: DesiredAddressSet | NamedPortSet): readonly string[] {
    const known = this.#known.get(set.name);
    if (known !== undefined) return known;
    if ("named" in set)
      return ascending([...(this.#namedPorts.numbers(set.named).get(portNumberKey(set))?.addresses ?? [])]);
    const { family, groups, networks } = set;
    const lists = groups.map((group) => this.#listsOf(group)[family]);
    return union(networks.size === 0 ? lists : [...lists, ascending([...networks])]);
  }

  /** No more than so many are in the set; walks none of them. */
  mostOf({ groups, networks }: DesiredAddressSet): number {
    return networks.size + this.#sizes(groups);
  }

  /** No more destinations than so many times its names has the rule; walks none of them. */
  mostDestinations({ destinations }: NamedPortRule): number {
    return this.#sizes(destinations);
  }

  #sizes(groups: readonly GroupKey[]): number {
    return groups.reduce((sum, group) => sum + this.#membership.addresses(group).size, 0);
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
