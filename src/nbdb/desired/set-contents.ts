// The addresses that Address_Set rows should hold, as ascending lists, for as long as members do not change. Sets of named
// ports are known from the walk that resolved the names, when there was one; otherwise they are asked for here.

import { ascending } from "../../lib/ascending.ts";
import { AddressLists } from "../../contents/address-lists.ts";
import type { NamedPorts } from "../../contents/named-ports.ts";
import { portNumberKey } from "../../contents/named-ports.ts";
import type { Membership } from "../../policy/membership.ts";
import type { DesiredAddressSet, NamedPortRule, NamedPortSet } from "../rows/unit.ts";

export class SetContents {
  readonly #namedPorts: NamedPorts<string>;
  readonly #lists: AddressLists;
  readonly #known = new Map<string, readonly string[]>();

  constructor(membership: Membership, namedPorts: NamedPorts<string>) {
    this.#namedPorts = namedPorts;
    this.#lists = new AddressLists(membership);
  }

  /** What the set of this name should hold was found on the way to something else. */
  know(name: string, contents: Iterable<string>): void {
    this.#known.set(name, ascending([...contents]));
  }

  /** Ascending by code units, each once. */
  of(set: DesiredAddressSet | NamedPortSet): readonly string[] {
    const known = this.#known.get(set.name);
    if (known !== undefined) return known;
    if (!("named" in set)) return this.#lists.of(set);
    return ascending([...(this.#namedPorts.numbers(set.named).get(portNumberKey(set))?.addresses ?? [])]);
  }

  /** No more than so many are in the set; walks none of them. */
  mostOf({ groups, networks }: DesiredAddressSet): number {
    return networks.size + this.#lists.mostOf(groups);
  }

  /** No more destinations than so many times its names has the rule; walks none of them. */
  mostDestinations({ destinations }: NamedPortRule): number {
    return this.#lists.mostOf(destinations);
  }
}
