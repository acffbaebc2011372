// What of a policy's desired rows depends on members, asked of the membership at the moment of planning: nothing is
// copied, so nothing can be stale, and one element can be asked for without walking the rest.

import type { Cidr, IpAddress } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { NamedPort, PodFact, PodKey, Protocol } from "../model/facts.ts";
import { podKey } from "../model/facts.ts";
import type { Direction } from "../policy/ir.ts";
import type { Membership } from "../policy/membership.ts";
import type { DesiredAcl } from "./acl.ts";
import { desiredAcl } from "./acl.ts";
import { conjunction, namedPortElement, namedPortTerm } from "./match.ts";
import { podOfPort, portName } from "./names.ts";
import type { DesiredAddressSet, DesiredPortGroup, NamedPortRule } from "./render.ts";

export interface UnmatchedPort {
  readonly direction: Direction;
  /** The rule's place in its direction. */
  readonly index: number;
  readonly name: string;
}

export class Content {
  readonly #membership: Membership;
  readonly #zone: string | null;

  constructor(membership: Membership, zone: string | null) {
    this.#membership = membership;
    this.#zone = zone;
  }

  hasAddress(set: DesiredAddressSet, address: string): boolean {
    if (set.networks.has(address as Cidr)) return true;
    const ip = address as IpAddress;
    return (
      familyOf(ip) === set.family && set.groups.some((group) => this.#membership.addresses(group).has(ip))
    );
  }

  hasPort(portGroup: DesiredPortGroup, port: string): boolean {
    const pod = podOfPort(port);
    if (pod === null) return false;
    const key = podKey(pod.namespace, pod.name);
    return this.#membership.pods(portGroup.subject).has(key) && this.#isLocal(this.#membership.pod(key));
  }

  /** Names of the ports that belong in the group, whether or not the database has them yet. */
  *portNames(portGroup: DesiredPortGroup): Generator<string> {
    for (const key of this.#membership.pods(portGroup.subject).keys()) {
      const pod = this.#membership.pod(key);
      if (this.#isLocal(pod)) yield portName(pod.namespace, pod.name);
    }
  }

  /**
   * The rule's ACLs for named ports: one for each protocol that at least one destination resolves to. Terms are sorted
   * by port name, then by address text, then by pod and its own order of ports; no term comes twice.
   */
  namedPortAcls(named: NamedPortRule): readonly DesiredAcl[] {
    const terms = new Map<Protocol, Set<string>>();
    for (const name of named.portNames) {
      for (const { ip, protocol, port } of this.#destinations(named, name)) {
        const elements = terms.get(protocol) ?? new Set<string>();
        terms.set(protocol, elements.add(namedPortElement(ip, protocol, port)));
      }
    }
    return [...terms].map(([protocol, elements]) => {
      const match = conjunction([named.prefix, namedPortTerm(protocol, [...elements])]);
      return desiredAcl(named.policy, named.direction, named.rule, `${protocol}-namedPort`, match);
    });
  }

  /** Names that no pod of the rule's destinations declares, of whatever zone, with an address or not yet. */
  unmatchedPorts(named: NamedPortRule): readonly UnmatchedPort[] {
    const isDeclared = (name: string): boolean =>
      named.destinations.some((group) => [...this.#membership.namedPorts(group, name)].length > 0);
    return named.portNames
      .filter((name) => !isDeclared(name))
      .map((name) => ({ direction: named.direction, index: named.rule.index, name }));
  }

  #destinations(named: NamedPortRule, name: string): readonly Destination[] {
    const pods = new Map<PodKey, readonly Destination[]>();
    for (const group of named.destinations) {
      for (const { pod, ports } of this.#membership.namedPorts(group, name)) {
        const key = podKey(pod.namespace, pod.name);
        const isDestination = named.direction === "egress" || this.#isLocal(pod);
        if (isDestination && !pods.has(key)) pods.set(key, destinationsOf(pod, key, ports));
      }
    }
    // A stable sort: ports of one pod keep the order of its spec.
    return [...pods.values()].flat().sort((a, b) => compare(a.ip, b.ip) || compare(a.pod, b.pod));
  }

  #isLocal(pod: PodFact): boolean {
    return this.#zone === null || pod.node === this.#zone;
  }
}

interface Destination {
  readonly ip: IpAddress;
  readonly pod: PodKey;
  readonly protocol: Protocol;
  readonly port: number;
}

function destinationsOf(pod: PodFact, key: PodKey, ports: readonly NamedPort[]): readonly Destination[] {
  return pod.ips.flatMap((ip) => ports.map(({ protocol, port }) => ({ ip, pod: key, protocol, port })));
}

/** Byte order; addresses and pod keys are ASCII. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
