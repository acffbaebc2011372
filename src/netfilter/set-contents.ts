// What the sets of a program contain now, read from the membership.

import { AddressLists } from "../contents/address-lists.ts";
import { DestinationLists } from "../contents/destination-lists.ts";
import { LocalPods } from "../contents/local-pods.ts";
import { ascending } from "../lib/ascending.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { PodFact } from "../model/facts.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { GroupKey } from "../policy/ir.ts";
import { localSet, setName } from "./names.ts";
import type { SetContents } from "./print-ipset.ts";
import type { FilterProgram, FilterSet } from "./program.ts";
import { setsOf, subjectsOf } from "./program.ts";

/** Valid while members do not change. */
export class SetReader {
  readonly #addresses: AddressLists;
  /** Labels are elements: `ADDRESS,PROTOCOL:PORT`. */
  readonly #destinations: DestinationLists<string>;
  readonly #local: readonly PodFact[];
  readonly #sets: readonly FilterSet[];

  /** `zone`: the node's name; null: every pod is local. */
  constructor(program: FilterProgram, membership: Membership, zone: string | null) {
    const elementOf = (ip: string, protocol: string, port: number) => `${ip},${protocol}:${port}`;
    this.#addresses = new AddressLists(membership);
    this.#destinations = new DestinationLists(membership, elementOf, false);
    this.#local = [...new LocalPods(membership, zone).of(subjectsOf(program))];
    this.#sets = setsOf(program);
  }

  /** Every set that the family's chains name: first the one of the node's pods that are a subject. */
  of(family: IpFamily): readonly SetContents[] {
    const ips = this.#local.flatMap((pod) => pod.ips).filter((ip) => familyOf(ip) === family);
    return [
      { name: localSet(family), family, type: "hash:ip", elements: ascending(ips) },
      ...this.#sets.map((one) => this.#contents(one, family)),
    ];
  }

  #contents({ set, groups }: FilterSet, family: IpFamily): SetContents {
    const named = { name: setName(family, set), family };
    if (set.kind === "port")
      return { ...named, type: "hash:ip,port", elements: this.#ports(set.group, set.name, family) };
    const elements = this.#addresses.of({ family, groups, networks: new Set() });
    return { ...named, type: "hash:ip", elements };
  }

  #ports(group: GroupKey, name: string, family: IpFamily): readonly string[] {
    const all = this.#destinations.of(group, name).filter(({ ip }) => familyOf(ip) === family);
    return ascending(all.map(({ label }) => label));
  }
}
