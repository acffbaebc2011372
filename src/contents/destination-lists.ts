// The destinations of named ports, as a sorted list for each group and name: every rule with the group among its
// destinations shares the list. Kept from commit to commit; the owner must report at which addresses the lists may have
// changed and which groups are used no more. Invariant: a list that is read equals one made now. The backend's text for
// a destination is kept with it as its label, so that it is made once for all rules and commits.

import type { IpAddress } from "../model/ip.ts";
import type { PodFact, Protocol } from "../model/facts.ts";
import { podKey } from "../model/facts.ts";
import type { GroupKey } from "../policy/ir.ts";
import type { Membership } from "../policy/contracts/membership.ts";

/** One pod's address with one number behind a name. */
export interface Destination<Label> {
  readonly ip: IpAddress;
  /** Address and pod in one text, which sorts by address, then pod. */
  readonly place: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly node: string | null;
  readonly label: Label;
}

/** The backend's label of a destination. */
type LabelOf<Label> = (ip: IpAddress, protocol: Protocol, port: number) => Label;

interface Kept<Label> {
  list: readonly Destination<Label>[];
  /** Addresses at which the list may have changed. */
  readonly touched: Set<IpAddress>;
}

export class DestinationLists<Label> {
  readonly #membership: Membership;
  readonly #labelOf: LabelOf<Label>;
  readonly #keeps: boolean;
  readonly #kept = new Map<GroupKey, Map<string, Kept<Label>>>();

  /** `keeps`: the owner calls `touch` and `keepOnly`; without it every list is made again. */
  constructor(membership: Membership, labelOf: LabelOf<Label>, keeps: boolean) {
    this.#membership = membership;
    this.#labelOf = labelOf;
    this.#keeps = keeps;
  }

  /** By address text, then by pod, then in the pod's own order. */
  of(group: GroupKey, name: string): readonly Destination<Label>[] {
    const kept = this.#kept.get(group)?.get(name);
    if (kept !== undefined) {
      if (kept.touched.size > 0) kept.list = this.#again(group, name, kept);
      kept.touched.clear();
      return kept.list;
    }
    const list = this.#make(group, name);
    if (this.#keeps) {
      const lists = this.#kept.get(group) ?? new Map<string, Kept<Label>>();
      this.#kept.set(group, lists.set(name, { list, touched: new Set() }));
    }
    return list;
  }

  /** The group's members at these addresses that declare the name may have changed. */
  touch(group: GroupKey, name: string, addresses: Iterable<IpAddress>): void {
    const kept = this.#kept.get(group)?.get(name);
    if (kept !== undefined) for (const address of addresses) kept.touched.add(address);
  }

  /** Drops the lists of unused groups: `touch` is not called for those. */
  keepOnly(isUsed: (group: GroupKey) => boolean): void {
    for (const group of this.#kept.keys()) if (!isUsed(group)) this.#kept.delete(group);
  }

  #make(group: GroupKey, name: string): readonly Destination<Label>[] {
    const all: Destination<Label>[] = [];
    for (const { pod } of this.#membership.namedPorts(group, name)) {
      for (const ip of pod.ips) all.push(...this.#destinationsOf(pod, ip, name));
    }
    // A stable sort: ports of one pod keep the order of its spec.
    return all.sort(byPlace);
  }

  #again(group: GroupKey, name: string, { list, touched }: Kept<Label>): readonly Destination<Label>[] {
    const now: Destination<Label>[] = [];
    for (const ip of touched) {
      for (const pod of this.#membership.holders(group, ip)) now.push(...this.#destinationsOf(pod, ip, name));
    }
    const others = list.filter(({ ip }) => !touched.has(ip));
    return mergedPair(others, now.sort(byPlace));
  }

  #destinationsOf(pod: PodFact, ip: IpAddress, name: string): readonly Destination<Label>[] {
    const ports = pod.ports.filter((port) => port.name === name);
    if (ports.length === 0) return [];
    // The separator sorts before every character of an address and of a pod's key.
    const place = `${ip} ${podKey(pod.namespace, pod.name)}`;
    return ports.map(({ protocol, port }) => {
      return { ip, place, protocol, port, node: pod.node, label: this.#labelOf(ip, protocol, port) };
    });
  }
}

/** Merges sorted lists into one; an element of several lists is in it once. */
export function merged<Label>(
  lists: readonly (readonly Destination<Label>[])[],
): readonly Destination<Label>[] {
  const [first = [], ...others] = lists;
  return others.reduce<readonly Destination<Label>[]>(mergedPair, first);
}

function mergedPair<Label>(
  a: readonly Destination<Label>[],
  b: readonly Destination<Label>[],
): readonly Destination<Label>[] {
  if (b.length === 0) return a;
  const result: Destination<Label>[] = [];
  let j = 0;
  let right = b[j];
  for (const left of a) {
    for (; right !== undefined && right.place <= left.place; right = b[++j]) {
      // A pod in both lists has the same destinations in both.
      if (right.place !== left.place) result.push(right);
    }
    result.push(left);
  }
  for (; right !== undefined; right = b[++j]) result.push(right);
  return result;
}

/** Byte order; addresses and pod keys are ASCII. */
function byPlace(a: Destination<unknown>, b: Destination<unknown>): number {
  return a.place < b.place ? -1 : a.place > b.place ? 1 : 0;
}
