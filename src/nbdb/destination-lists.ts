// Where named ports lead, as sorted lists a group and name: the same list serves every rule that has the group among its
// destinations. Kept from commit to commit; whoever keeps them must say which groups have changed and which are used no
// more. Invariant: a list that is kept equals one made now.

import type { IpAddress } from "../model/ip.ts";
import type { PodKey, Protocol } from "../model/facts.ts";
import { podKey } from "../model/facts.ts";
import type { GroupKey } from "../policy/ir.ts";
import type { Membership } from "../policy/membership.ts";
import { namedPortElement } from "./match.ts";

/** One pod's address with one number behind a name. */
export interface Destination {
  readonly ip: IpAddress;
  readonly pod: PodKey;
  readonly protocol: Protocol;
  readonly port: number;
  readonly node: string | null;
  /** As it stands in a match. */
  readonly element: string;
}

export class DestinationLists {
  readonly #membership: Membership;
  readonly #keeps: boolean;
  readonly #kept = new Map<GroupKey, Map<string, readonly Destination[]>>();

  /** `keeps`: somebody says what has changed. */
  constructor(membership: Membership, keeps: boolean) {
    this.#membership = membership;
    this.#keeps = keeps;
  }

  /** By address text, then by pod, then in the pod's own order. */
  of(group: GroupKey, name: string): readonly Destination[] {
    const known = this.#kept.get(group)?.get(name);
    if (known !== undefined) return known;
    const made = this.#make(group, name);
    if (this.#keeps) {
      const lists = this.#kept.get(group) ?? new Map<string, readonly Destination[]>();
      this.#kept.set(group, lists.set(name, made));
    }
    return made;
  }

  /** Members of the group that declare one of these names may be others now. */
  forget(group: GroupKey, names: Iterable<string>): void {
    const lists = this.#kept.get(group);
    if (lists !== undefined) for (const name of names) lists.delete(name);
  }

  /** Of groups that nobody asks for nobody says what has changed. */
  keepOnly(isUsed: (group: GroupKey) => boolean): void {
    for (const group of this.#kept.keys()) if (!isUsed(group)) this.#kept.delete(group);
  }

  #make(group: GroupKey, name: string): readonly Destination[] {
    const all: Destination[] = [];
    for (const { pod, ports } of this.#membership.namedPorts(group, name)) {
      const key = podKey(pod.namespace, pod.name);
      for (const ip of pod.ips) {
        for (const { protocol, port } of ports) {
          const element = namedPortElement(ip, protocol, port);
          all.push({ ip, pod: key, protocol, port, node: pod.node, element });
        }
      }
    }
    // A stable sort: ports of one pod keep the order of its spec.
    return all.sort(byPlace);
  }
}

/** Lists in their order as one in the same order; what is in several of them is in it once. */
export function merged(lists: readonly (readonly Destination[])[]): readonly Destination[] {
  const [first = [], ...others] = lists;
  return others.reduce<readonly Destination[]>(mergedPair, first);
}

function mergedPair(a: readonly Destination[], b: readonly Destination[]): readonly Destination[] {
  const result: Destination[] = [];
  let j = 0;
  for (const left of a) {
    for (let right = b[j]; right !== undefined && byPlace(right, left) <= 0; right = b[++j]) {
      // A pod of both has the same destinations in both.
      if (byPlace(right, left) < 0) result.push(right);
    }
    result.push(left);
  }
  for (; j < b.length; j++) {
    const right = b[j];
    if (right !== undefined) result.push(right);
  }
  return result;
}

function byPlace(a: Destination, b: Destination): number {
  return compare(a.ip, b.ip) || compare(a.pod, b.pod);
}

/** Byte order; addresses and pod keys are ASCII. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
