// What may differ since the last drain, coalesced: which addresses, members and port names of which groups. Says where
// to read again, never what has changed. Invariant: every answer of a group's views that would differ from the last
// drain is named here, unless the group was retained since.

import type { IpAddress } from "../model/ip.ts";
import type { MatchedGroup, Member } from "./identity.ts";
import type { Work } from "./work.ts";
import { sameSequence } from "../lib/sequence.ts";
import { samePorts } from "../model/same-facts.ts";

/** Elements of one group. */
export interface Touched<Key> {
  readonly addresses: ReadonlySet<IpAddress>;
  readonly members: ReadonlySet<Key>;
  /** With the addresses of the members that declare the name, or did. */
  readonly portNames: ReadonlyMap<string, ReadonlySet<IpAddress>>;
}

interface Growing<Key> extends Touched<Key> {
  readonly addresses: Set<IpAddress>;
  readonly members: Set<Key>;
  readonly portNames: Map<string, Set<IpAddress>>;
  /** Other groups were touched by the same change alone, and have this object too. */
  readonly isShared: boolean;
}

/** The elements that one change of a member touches, in each group it stays in. */
interface TouchedElements<Key> {
  readonly addresses: readonly IpAddress[];
  readonly members: readonly Key[];
  readonly portNames: readonly string[];
  /** Addresses at which each of the names may resolve otherwise. */
  readonly portAddresses: readonly IpAddress[];
}

export class EdgeLog<Key> {
  readonly #work: Work;
  #touched = new Map<MatchedGroup<Key>, Growing<Key>>();

  constructor(work: Work) {
    this.#work = work;
  }

  /** The member entered or left the groups. */
  moved(member: Member<Key>, groups: Iterable<MatchedGroup<Key>>): void {
    this.#record(whole(member), groups);
  }

  /** The member has changed, in groups that it stays in. */
  changed(before: Member<Key>, after: Member<Key>, groups: Iterable<MatchedGroup<Key>>): void {
    const difference = between(before, after);
    const { addresses, members, portNames } = difference;
    if (addresses.length + members.length + portNames.length > 0) this.#record(difference, groups);
  }

  forget(group: MatchedGroup<Key>): void {
    this.#touched.delete(group);
  }

  drain(): ReadonlyMap<MatchedGroup<Key>, Touched<Key>> {
    const touched = this.#touched;
    this.#touched = new Map();
    return touched;
  }

  #record(difference: TouchedElements<Key>, groups: Iterable<MatchedGroup<Key>>): void {
    let first: Growing<Key> | null = null;
    for (const group of groups) {
      this.#work.groupVisits++;
      const known = this.#touched.get(group);
      if (known === undefined) {
        // Most changes are drained before the next one: all their groups have one object.
        first ??= grow(nothing(), difference);
        this.#touched.set(group, first);
      } else if (known.isShared) this.#touched.set(group, grow(copyOf(known), difference));
      else grow(known, difference);
    }
  }
}

function nothing<Key>(): Growing<Key> {
  return { addresses: new Set(), members: new Set(), portNames: new Map(), isShared: true };
}

function copyOf<Key>({ addresses, members, portNames }: Growing<Key>): Growing<Key> {
  const named = Array.from(portNames, ([name, at]) => [name, new Set(at)] as const);
  return {
    addresses: new Set(addresses),
    members: new Set(members),
    portNames: new Map(named),
    isShared: false,
  };
}

function grow<Key>(touched: Growing<Key>, difference: TouchedElements<Key>): Growing<Key> {
  for (const address of difference.addresses) touched.addresses.add(address);
  for (const key of difference.members) touched.members.add(key);
  for (const name of difference.portNames) {
    const addresses = touched.portNames.get(name) ?? new Set();
    for (const address of difference.portAddresses) addresses.add(address);
    touched.portNames.set(name, addresses);
  }
  return touched;
}

function whole<Key>(member: Member<Key>): TouchedElements<Key> {
  return {
    addresses: member.ips,
    members: [member.key],
    portNames: member.ports.map(({ name }) => name),
    portAddresses: member.ips,
  };
}

function between<Key>(before: Member<Key>, after: Member<Key>): TouchedElements<Key> {
  const moved = before.home !== after.home;
  const samePlace = !moved && sameSequence(before.ips, after.ips);
  const ports = samePlace && samePorts(before.ports, after.ports) ? [] : [...before.ports, ...after.ports];
  return {
    addresses: [
      ...before.ips.filter((ip) => !after.ips.includes(ip)),
      ...after.ips.filter((ip) => !before.ips.includes(ip)),
    ],
    members: moved ? [after.key] : [],
    portNames: ports.map(({ name }) => name),
    portAddresses: [...before.ips, ...after.ips],
  };
}
