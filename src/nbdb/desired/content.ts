// What of a policy's desired rows depends on members, asked of the membership at the moment of planning: nothing is
// copied, so nothing can be stale, and one element can be asked for without walking the rest.

import type { Cidr, IpAddress } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import { podKey } from "../../model/facts.ts";
import type { Membership } from "../../policy/membership.ts";
import { DestinationLists } from "../named-ports/destination-lists.ts";
import { NamedPorts, portNumberKey } from "../named-ports/named-ports.ts";
import { podOfPort, portName } from "../rows/names.ts";
import type { DesiredAddressSet, DesiredPortGroup, NamedPortSet } from "../rows/render.ts";

export class Content {
  readonly namedPorts: NamedPorts;
  readonly #membership: Membership;

  /** `keeps`: as in DestinationLists. */
  constructor(membership: Membership, zone: string | null, keeps = false) {
    this.#membership = membership;
    this.namedPorts = new NamedPorts(membership, zone, new DestinationLists(membership, keeps));
  }

  hasAddress(set: DesiredAddressSet | NamedPortSet, address: string): boolean {
    const ip = address as IpAddress;
    if ("named" in set) return this.namedPorts.numbersAt(set.named, ip).has(portNumberKey(set));
    if (set.networks.has(address as Cidr)) return true;
    return (
      familyOf(ip) === set.family && set.groups.some((group) => this.#membership.addresses(group).has(ip))
    );
  }

  hasPort(portGroup: DesiredPortGroup, port: string): boolean {
    const pod = podOfPort(port);
    if (pod === null) return false;
    const key = podKey(pod.namespace, pod.name);
    const isMember = portGroup.subjects.some((subject) => this.#membership.pods(subject).has(key));
    return isMember && this.namedPorts.isLocal(this.#membership.pod(key));
  }

  /** Names of the ports that belong in the group, each once, whether or not the database has them yet. */
  *portNames({ subjects }: DesiredPortGroup): Generator<string> {
    const members = subjects.map((subject) => this.#membership.pods(subject));
    for (const [at, pods] of members.entries()) {
      const before = members.slice(0, at);
      for (const key of pods.keys()) {
        if (before.some((others) => others.has(key))) continue;
        const pod = this.#membership.pod(key);
        if (this.namedPorts.isLocal(pod)) yield portName(pod.namespace, pod.name);
      }
    }
  }
}
