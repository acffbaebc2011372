// Where named ports lead, as sorted lists a group and name: the same list serves every rule that has the group among its
// destinations. Kept from commit to commit; whoever keeps them must say at which addresses they may have changed and which
// groups are used no more. Invariant: a list that is asked for equals one made now.

import type { IpAddress } from "../../model/ip.ts";
import type { PodFact, Protocol } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import type { GroupKey } from "../../policy/ir.ts";
import type { Membership } from "../../policy/membership.ts";
import { namedPortElement } from "../rows/match.ts";

/** One pod's address with one number behind a name. */
export interface Destination {
  readonly ip: IpAddress;
  /** Address and pod in one text, in the order of both. */
  readonly place: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly node: string | null;
  /** As it stands in a match. */
  readonly element: string;
}

interface Kept {
  list: readonly Destination[];
  /** Addresses at which the list may be another one now. */
  readonly touched: Set<IpAddress>;
}

export class DestinationLists {
  readonly #membership: Membership;
  readonly #keeps: boolean;
  readonly #kept = new Map<GroupKey, Map<string, Kept>>();

  /** `keeps`: somebody says what has changed. */
  constructor(membership: Membership, keeps: boolean) {
    this.#membership = membership;
    this.#keeps = keeps;
  }

  /** By address text, then by pod, then in the pod's own order. */
  of(group: GroupKey, name: string): readonly Destination[] {
    const kept = this.#kept.get(group)?.get(name);
    if (kept !== undefined) {
      if (kept.touched.size > 0) kept.list = this.#again(group, name, kept);
      kept.touched.clear();
      return kept.list;
    }
    const list = this.#make(group, name);
    if (this.#keeps) {
      const lists = this.#kept.get(group) ?? new Map<string, Kept>();
      this.#kept.set(group, lists.set(name, { list, touched: new Set() }));
    }
    return list;
  }

  /** Members of the group that declare the name may be others now at these addresses. */
  touch(group: GroupKey, name: string, addresses: Iterable<IpAddress>): void {
    const kept = this.#kept.get(group)?.get(name);
    if (kept !== undefined) for (const address of addresses) kept.touched.add(address);
  }

  /** Of groups that nobody asks for nobody says what has changed. */
  keepOnly(isUsed: (group: GroupKey) => boolean): void {
    for (const group of this.#kept.keys()) if (!isUsed(group)) this.#kept.delete(group);
  }

  #make(group: GroupKey, name: string): readonly Destination[] {
    const all: Destination[] = [];
    for (const { pod } of this.#membership.namedPorts(group, name)) {
      for (const ip of pod.ips) all.push(...destinationsOf(pod, ip, name));
    }
    // A stable sort: ports of one pod keep the order of its spec.
    return all.sort(byPlace);
  }

  #again(group: GroupKey, name: string, { list, touched }: Kept): readonly Destination[] {
    const now: Destination[] = [];
    for (const ip of touched) {
      for (const pod of this.#membership.holders(group, ip)) now.push(...destinationsOf(pod, ip, name));
    }
    const others = list.filter(({ ip }) => !touched.has(ip));
    return mergedPair(others, now.sort(byPlace));
  }
}

function destinationsOf(pod: PodFact, ip: IpAddress, name: string): readonly Destination[] {
  const ports = pod.ports.filter((port) => port.name === name);
  if (ports.length === 0) return [];
  // Before every character of an address and of a pod's key.
  const place = `${ip} ${podKey(pod.namespace, pod.name)}`;
  return ports.map(({ protocol, port }) => {
    const element = namedPortElement(ip, protocol, port);
    return { ip, place, protocol, port, node: pod.node, element };
  });
}

/** Lists in their order as one in the same order; what is in several of them is in it once. */
export function merged(lists: readonly (readonly Destination[])[]): readonly Destination[] {
  const [first = [], ...others] = lists;
  return others.reduce<readonly Destination[]>(mergedPair, first);
}

function mergedPair(a: readonly Destination[], b: readonly Destination[]): readonly Destination[] {
  if (b.length === 0) return a;
  const result: Destination[] = [];
  let j = 0;
  let right = b[j];
  for (const left of a) {
    for (; right !== undefined && right.place <= left.place; right = b[++j]) {
      // A pod of both has the same destinations in both.
      if (right.place !== left.place) result.push(right);
    }
    result.push(left);
  }
  for (; right !== undefined; right = b[++j]) result.push(right);
  return result;
}

/** Byte order; addresses and pod keys are ASCII. */
function byPlace(a: Destination, b: Destination): number {
  return a.place < b.place ? -1 : a.place > b.place ? 1 : 0;
}
