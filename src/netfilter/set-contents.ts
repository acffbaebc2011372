// What the sets of a program contain now, read from the membership.

import { AddressLists } from "../contents/address-lists.ts";
import { DestinationLists } from "../contents/destination-lists.ts";
import { LocalPods } from "../contents/local-pods.ts";
import { ascending } from "../lib/ascending.ts";
import type { IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { GroupKey } from "../policy/ir.ts";
import { localSet, setName } from "./names.ts";
import type { SetContents, SetHead } from "./print-ipset.ts";
import type { FilterProgram, FilterSet } from "./program.ts";
import { setsOf, subjectsOf } from "./program.ts";

/** A set of a program; `local`: the node's pods that are a subject, of any of the groups. */
export type NodeSet = FilterSet | { readonly set: "local"; readonly groups: readonly GroupKey[] };

/** Of a program without lines: none. First the one of the node's pods. */
export function nodeSetsOf(program: FilterProgram): readonly NodeSet[] {
  const sets = setsOf(program);
  return sets.length === 0 ? [] : [{ set: "local", groups: subjectsOf(program) }, ...sets];
}

export function headOf({ set }: NodeSet, family: IpFamily): SetHead {
  if (set === "local") return { name: localSet(family), family, type: "hash:ip" };
  const type = set.kind === "port" ? "hash:ip,port" : "hash:ip";
  return { name: setName(family, set), family, type };
}

/** Valid while members do not change. */
export class SetReader {
  readonly #addresses: AddressLists;
  /** Labels are elements: `ADDRESS,PROTOCOL:PORT`. */
  readonly #destinations: DestinationLists<string>;
  readonly #membership: Membership;
  readonly #local: LocalPods;

  /** `zone`: the node's name; null: every pod is local. */
  constructor(membership: Membership, zone: string | null) {
    this.#membership = membership;
    this.#addresses = new AddressLists(membership);
    this.#destinations = new DestinationLists(membership, elementOf, false);
    this.#local = new LocalPods(membership, zone);
  }

  contents(set: NodeSet, family: IpFamily): SetContents {
    return { ...headOf(set, family), elements: this.#elements(set, family) };
  }

  /** The elements that have the address. */
  at({ set, groups }: NodeSet, address: IpAddress): readonly string[] {
    const holders = (group: GroupKey) => Iterator.from(this.#membership.holders(group, address));
    if (set === "local") {
      const isIt = groups.some((group) => holders(group).some(({ node }) => this.#local.isOn(node)));
      return isIt ? [address] : [];
    }
    if (set.kind === "port") {
      const ports = holders(set.group).flatMap((pod) => pod.ports.filter(({ name }) => name === set.name));
      return [...new Set(ports.map(({ protocol, port }) => elementOf(address, protocol, port)))];
    }
    return groups.some((group) => this.#membership.addresses(group).has(address)) ? [address] : [];
  }

  #elements({ set, groups }: NodeSet, family: IpFamily): readonly string[] {
    if (set === "local") {
      const ips = [...this.#local.of(groups)].flatMap((pod) => pod.ips);
      return ascending(ips.filter((ip) => familyOf(ip) === family));
    }
    if (set.kind === "port") return this.#ports(set.group, set.name, family);
    return this.#addresses.of({ family, groups, networks: new Set() });
  }

  #ports(group: GroupKey, name: string, family: IpFamily): readonly string[] {
    const all = this.#destinations.of(group, name).filter(({ ip }) => familyOf(ip) === family);
    return ascending(all.map(({ label }) => label));
  }
}

function elementOf(ip: string, protocol: string, port: number): string {
  return `${ip},${protocol}:${port}`;
}
