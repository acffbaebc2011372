// The addresses that Address_Set rows should hold, as ascending lists, valid while members do not change. For sets of
// named ports it uses the walk that resolved the names, if there was one; otherwise it reads the membership.

import { ascending } from "../../lib/ascending.ts";
import { AddressLists } from "../../contents/address-lists.ts";
import type { NamedPorts } from "../../contents/named-ports.ts";
import { portNumberKey } from "../../contents/named-ports.ts";
import type { Membership } from "../../policy/contracts/membership.ts";
import type { DesiredAddressSet, NamedPortRule, NamedPortSet } from "../rows/unit.ts";

export class SetContents {
  readonly #namedPorts: NamedPorts<string>;
  readonly #lists: AddressLists;
  readonly #known = new Map<string, readonly string[]>();

  constructor(membership: Membership, namedPorts: NamedPorts<string>) {
    this.#namedPorts = namedPorts;
    this.#lists = new AddressLists(membership);
  }

  /** Records the contents of the named set, which the resolver found while it resolved names. */
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

  /** An upper bound of the number of elements in the set; does not walk them. */
  mostOf(set: DesiredAddressSet): number {
    return this.#lists.mostIn(set);
  }

  /** An upper bound of the pods at which each name of the rule leads somewhere; does not walk them. */
  mostDestinations({ destinations, sources }: NamedPortRule): number {
    return this.#lists.mostOf([...destinations, ...sources]);
  }
}
