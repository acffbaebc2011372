// What a rule's named ports resolve to, asked of the membership at the moment of planning: which destination pods declare
// one of its names, at which addresses, with which protocols and numbers.

import type { IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { NamedPort, PodFact, Protocol } from "../model/facts.ts";
import type { Direction, GroupKey } from "../policy/ir.ts";
import type { Membership } from "../policy/membership.ts";
import type { Destination, DestinationLists } from "./destination-lists.ts";
import { merged } from "./destination-lists.ts";
import type { LocalPods } from "./local-pods.ts";

/** A rule with named ports, as far as its destinations go. */
export interface NamedPortQuery {
  readonly direction: Direction;
  /** Groups whose pods are destinations: the subject for ingress, the peers for egress. */
  readonly destinations: readonly GroupKey[];
  /** Sorted and distinct. */
  readonly portNames: readonly string[];
}

/** A number that names resolve to, in one family. */
export interface PortNumber {
  readonly family: IpFamily;
  readonly protocol: Protocol;
  readonly port: number;
}

export type PortNumberKey = string & { readonly __brand: "PortNumberKey" };

export function portNumberKey({ family, protocol, port }: PortNumber): PortNumberKey {
  return `${protocol} ${port} ${family}` as PortNumberKey;
}

export class NamedPorts<Label> {
  readonly lists: DestinationLists<Label>;
  readonly #membership: Membership;
  readonly #localPods: LocalPods;

  constructor(membership: Membership, localPods: LocalPods, lists: DestinationLists<Label>) {
    this.lists = lists;
    this.#membership = membership;
    this.#localPods = localPods;
  }

  /** Sorted by port name, then by address text, then by pod and its own order of ports; one may come twice. */
  destinations({ direction, destinations, portNames }: NamedPortQuery): readonly Destination<Label>[] {
    const all = portNames.flatMap((name) => merged(destinations.map((group) => this.lists.of(group, name))));
    // Ingress names are destinations on local ports.
    if (direction === "egress" || this.#localPods.areAll) return all;
    return all.filter(({ node }) => this.#localPods.isOn(node));
  }

  /** Every number that a destination has, with the addresses at which it has it. */
  numbers(
    named: NamedPortQuery,
  ): ReadonlyMap<PortNumberKey, PortNumber & { addresses: ReadonlySet<IpAddress> }> {
    const numbers = new Map<PortNumberKey, PortNumber & { addresses: Set<IpAddress> }>();
    for (const name of named.portNames) {
      for (const { pod, ports } of this.#declaring(named, name)) {
        addTo(numbers, pod.ips, ports);
      }
    }
    return numbers;
  }

  /** The numbers that destinations with this address have. Walks the pods that hold the address: one, as a rule. */
  numbersAt(named: NamedPortQuery, ip: IpAddress): ReadonlySet<PortNumberKey> {
    const holders = named.destinations.flatMap((group) => [...this.#membership.holders(group, ip)]);
    const ports = holders
      .filter((pod) => this.#isDestination(named, pod))
      .flatMap((pod) => pod.ports.filter(({ name }) => named.portNames.includes(name)));
    const family = familyOf(ip);
    return new Set(ports.map(({ protocol, port }) => portNumberKey({ family, protocol, port })));
  }

  /** The rule's names that no pod of its destinations declares, of whatever zone, with an address or not yet. */
  unmatched({ destinations, portNames }: NamedPortQuery): readonly string[] {
    const isDeclared = (name: string): boolean =>
      destinations.some((group) => Iterator.from(this.#membership.namedPorts(group, name)).some(() => true));
    return portNames.filter((name) => !isDeclared(name));
  }

  /** Destinations that declare the name; a pod of two groups comes twice. */
  *#declaring(
    named: NamedPortQuery,
    name: string,
  ): Generator<{ readonly pod: PodFact; readonly ports: readonly NamedPort[] }> {
    for (const group of named.destinations) {
      for (const found of this.#membership.namedPorts(group, name)) {
        if (this.#isDestination(named, found.pod)) yield found;
      }
    }
  }

  /** Ingress names are destinations on local ports. */
  #isDestination(named: NamedPortQuery, pod: PodFact): boolean {
    return named.direction === "egress" || this.#localPods.isOn(pod.node);
  }
}

function addTo(
  numbers: Map<PortNumberKey, PortNumber & { addresses: Set<IpAddress> }>,
  ips: readonly IpAddress[],
  ports: readonly NamedPort[],
): void {
  for (const ip of ips) {
    for (const { protocol, port } of ports) {
      const number = { family: familyOf(ip), protocol, port };
      const key = portNumberKey(number);
      const known = numbers.get(key) ?? { ...number, addresses: new Set() };
      numbers.set(key, known);
      known.addresses.add(ip);
    }
  }
}
