// The contents of desired rows that depend on members, as the rows spell them: addresses of sets, ports of port groups,
// destinations of named ports. The planner reads them from the membership when it plans, all or a single element.

import { hasAddress } from "../../contents/address-lists.ts";
import { ComplementSets } from "../../contents/complement-sets.ts";
import { DestinationLists } from "../../contents/destination-lists.ts";
import { LocalPods } from "../../contents/local-pods.ts";
import { NamedPorts, portNumberKey } from "../../contents/named-ports.ts";
import { podKey } from "../../model/facts.ts";
import type { IpAddress } from "../../model/ip.ts";
import type { Membership } from "../../policy/contracts/membership.ts";
import { namedPortElement } from "../rows/match/match.ts";
import { podOfPort, portName } from "../rows/names.ts";
import type { DesiredAddressSet, DesiredPortGroup, NamedPortSet } from "../rows/unit.ts";

export class Content {
  /** Each destination with the text that names it in a match. */
  readonly namedPorts: NamedPorts<string>;
  readonly complements: ComplementSets;
  readonly #membership: Membership;
  readonly #localPods: LocalPods;

  /** `keeps`: as in DestinationLists and ComplementSets. */
  constructor(membership: Membership, zone: string | null, keeps = false) {
    this.#membership = membership;
    this.complements = new ComplementSets(membership, keeps);
    this.#localPods = new LocalPods(membership, zone);
    const lists = new DestinationLists(membership, namedPortElement, keeps);
    this.namedPorts = new NamedPorts(membership, this.#localPods, lists);
  }

  hasAddress(set: DesiredAddressSet | NamedPortSet, address: string): boolean {
    if (!("named" in set)) {
      if (set.isComplement === true) return this.complements.has(set, address);
      return hasAddress(this.#membership, set, address);
    }
    return this.namedPorts.numbersAt(set.named, address as IpAddress).has(portNumberKey(set));
  }

  hasPort({ subjects }: DesiredPortGroup, port: string): boolean {
    const pod = podOfPort(port);
    return pod !== null && this.#localPods.has(subjects, podKey(pod.namespace, pod.name));
  }

  /** Names of the ports that belong in the group, each once, whether or not the database already has them. */
  portNames({ subjects }: DesiredPortGroup): IteratorObject<string> {
    return this.#localPods.of(subjects).map(({ namespace, name }) => portName(namespace, name));
  }
}
