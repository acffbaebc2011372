// What the sets of a program contain now, read from the membership.

import { LocalPods } from "../contents/local-pods.ts";
import { ascending } from "../lib/ascending.ts";
import type { IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { GroupKey } from "../policy/ir.ts";
import { localSet, setName } from "./names.ts";
import type { SetContents } from "./print-ipset.ts";
import type { FilterProgram, SetRef } from "./program.ts";
import { setsOf, subjectsOf } from "./program.ts";

export class SetReader {
  readonly #membership: Membership;
  readonly #localPods: LocalPods;

  /** `zone`: the node's name; null: every pod is local. */
  constructor(membership: Membership, zone: string | null) {
    this.#membership = membership;
    this.#localPods = new LocalPods(membership, zone);
  }

  /** Every set that the family's chains name: first the one of the node's pods. */
  of(program: FilterProgram, family: IpFamily): readonly SetContents[] {
    return [
      this.#local(subjectsOf(program), family),
      ...setsOf(program).map((set) => this.#set(set, family)),
    ];
  }

  /** The addresses of pods on the node that are a subject. */
  #local(subjects: readonly GroupKey[], family: IpFamily): SetContents {
    const pods = [...this.#localPods.of(subjects)];
    const elements = ofFamily(
      pods.flatMap(({ ips }) => ips),
      family,
    );
    return { name: localSet(family), family, type: "hash:ip", elements };
  }

  #set(set: SetRef, family: IpFamily): SetContents {
    const name = setName(family, set);
    if (set.kind === "port")
      return { name, family, type: "hash:ip,port", elements: this.#ports(set, family) };
    const groups = set.kind === "group" ? [set.group] : set.groups;
    const ips = groups.flatMap((group) => [...this.#membership.addresses(group).keys()]);
    const elements = ofFamily(ips, family);
    return { name, family, type: "hash:ip", elements };
  }

  /** As `ADDRESS,PROTOCOL:PORT`. */
  #ports({ group, name }: Extract<SetRef, { kind: "port" }>, family: IpFamily): readonly string[] {
    const found = new Set<string>();
    for (const { pod, ports } of this.#membership.namedPorts(group, name))
      for (const ip of ofFamily(pod.ips, family))
        for (const { protocol, port } of ports) found.add(`${ip},${protocol}:${port}`);
    return ascending([...found]);
  }
}

function ofFamily(ips: Iterable<IpAddress>, family: IpFamily): readonly string[] {
  return ascending(Array.from(ips).filter((ip) => familyOf(ip) === family));
}
