// The destinations of a rule's named ports, read from the membership when rows are planned: which destination pods
// declare one of its names, at which addresses, with which protocols and numbers.

import type { IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { NamedPort, PodFact, Protocol } from "../model/facts.ts";
import type { Direction, GroupKey, PortRange } from "../policy/ir.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { Destination, DestinationLists } from "./destination-lists.ts";
import { merged } from "./destination-lists.ts";
import type { LocalPods } from "./local-pods.ts";

/** The properties of a rule that decide the destinations of its named ports. */
export interface NamedPortQuery {
  readonly direction: Direction;
  /** Groups whose pods are destinations: the subject for ingress, the peers for egress. */
  readonly destinations: readonly GroupKey[];
  /** Groups whose pods are sources, where names of their ports are looked up; otherwise none. */
  readonly sources: readonly GroupKey[];
  /** Sorted by name, each once. */
  readonly wanted: readonly WantedPort[];
  /** All names that are looked up, sorted and distinct. */
  readonly portNames: readonly string[];
  /** Those of destinations that the rule matches, sorted and distinct. */
  readonly destinationNames: readonly string[];
}

/** A named port of a rule, with its restrictions. */
export interface WantedPort {
  readonly name: string;
  /** null: whichever protocol the port has. */
  readonly protocol: Protocol | null;
  /** null: from any source port. */
  readonly source: PortRange | null;
}

/** A number that names resolve to, in one family. */
export interface PortNumber {
  readonly family: IpFamily;
  readonly protocol: Protocol;
  readonly port: number;
  /** As in WantedPort. */
  readonly source: PortRange | null;
}

export type PortNumberKey = string & { readonly __brand: "PortNumberKey" };

export function portNumberKey({ family, protocol, port, source }: PortNumber): PortNumberKey {
  const from = source === null ? "" : ` ${source.start}-${source.end}`;
  return `${protocol} ${port} ${family}${from}` as PortNumberKey;
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

  /**
   * Destinations of one of the query's ports: by address text, then by pod and its own order of ports; may repeat one.
   */
  destinations(
    { direction, destinations }: NamedPortQuery,
    { name, protocol }: WantedPort,
  ): readonly Destination<Label>[] {
    const all = merged(destinations.map((group) => this.lists.of(group, name)));
    // Ingress names are destinations on local ports.
    const areLocal = direction === "egress" || this.#localPods.areAll;
    if (areLocal && protocol === null) return all;
    return all.filter(
      (one) =>
        (areLocal || this.#localPods.isOn(one.node)) && (protocol === null || one.protocol === protocol),
    );
  }

  /** Where pods at one end of the rule declare ports under any of the names, for the protocol; may repeat one. */
  declaredAt(query: NamedPortQuery, end: "from" | "to", protocol: Protocol, names: readonly string[]) {
    const groups = end === "to" ? query.destinations : query.sources;
    const isOwn = (end === "to") === (query.direction === "ingress");
    return groups
      .flatMap((group) => names.flatMap((name) => this.lists.of(group, name)))
      .filter((one) => one.protocol === protocol && (!isOwn || this.#localPods.isOn(one.node)));
  }

  /** Every number that a destination has, with the addresses at which it has it. */
  numbers(
    named: NamedPortQuery,
  ): ReadonlyMap<PortNumberKey, PortNumber & { addresses: ReadonlySet<IpAddress> }> {
    const numbers = new Map<PortNumberKey, PortNumber & { addresses: Set<IpAddress> }>();
    for (const wanted of named.wanted) {
      for (const { pod, ports } of this.#declaring(named, wanted.name)) {
        addTo(numbers, pod.ips, ports, wanted);
      }
    }
    return numbers;
  }

  /** The numbers of the destinations with this address. Iterates the pods that hold the address: usually one. */
  numbersAt(named: NamedPortQuery, ip: IpAddress): ReadonlySet<PortNumberKey> {
    const holders = named.destinations.flatMap((group) => [...this.#membership.holders(group, ip)]);
    const family = familyOf(ip);
    const keys = new Set<PortNumberKey>();
    for (const pod of holders) {
      if (!this.#isDestination(named, pod)) continue;
      for (const wanted of named.wanted) {
        const { source } = wanted;
        for (const { protocol, port } of pod.ports.filter((declared) => isWanted(declared, wanted)))
          keys.add(portNumberKey({ family, protocol, port, source }));
      }
    }
    return keys;
  }

  /** The rule's names that no pod of its destinations declares, as `undeclaredNames`. */
  unmatched({ destinations, destinationNames }: NamedPortQuery): readonly string[] {
    return undeclaredNames(this.#membership, destinations, destinationNames);
  }

  /** Destinations that declare the name; a pod of two groups is there twice. */
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

/** The names that no pod of the groups declares; counts pods of every zone, with an address or not yet. */
export function undeclaredNames(
  membership: Membership,
  groups: readonly GroupKey[],
  names: readonly string[],
): readonly string[] {
  const isDeclared = (name: string): boolean =>
    groups.some((group) => Iterator.from(membership.namedPorts(group, name)).some(() => true));
  return names.filter((name) => !isDeclared(name));
}

function isWanted(declared: NamedPort, { name, protocol }: WantedPort): boolean {
  return declared.name === name && (protocol === null || declared.protocol === protocol);
}

function addTo(
  numbers: Map<PortNumberKey, PortNumber & { addresses: Set<IpAddress> }>,
  ips: readonly IpAddress[],
  ports: readonly NamedPort[],
  wanted: WantedPort,
): void {
  for (const ip of ips) {
    for (const { protocol, port } of ports.filter((declared) => isWanted(declared, wanted))) {
      const number = { family: familyOf(ip), protocol, port, source: wanted.source };
      const key = portNumberKey(number);
      const known = numbers.get(key) ?? { ...number, addresses: new Set() };
      numbers.set(key, known);
      known.addresses.add(ip);
    }
  }
}
