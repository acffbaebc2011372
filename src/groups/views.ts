// A group's members and addresses as sets to query and iterate, read from its identities at each call: nothing is
// copied and nothing is kept per group. A view of a released group is empty.

import type { AddressIndex } from "./address-index.ts";
import type { IpAddress } from "../model/ip.ts";
import type { MatchedGroup, Member } from "./identity.ts";
import type { SetView } from "../policy/contracts/membership.ts";

export class MemberView<Key> implements SetView<Key> {
  readonly #group: MatchedGroup<Key>;
  readonly #members: ReadonlyMap<Key, Member<Key>>;

  constructor(group: MatchedGroup<Key>, members: ReadonlyMap<Key, Member<Key>>) {
    this.#group = group;
    this.#members = members;
  }

  get size(): number {
    return this.#group.memberCount;
  }

  has(key: Key): boolean {
    return this.#members.get(key)?.identity.groups.has(this.#group) ?? false;
  }

  *keys(): Generator<Key, void> {
    for (const member of this.#group.all()) yield member.key;
  }
}

export class AddressView<Key> implements SetView<IpAddress> {
  readonly #group: MatchedGroup<Key>;
  readonly #index: AddressIndex<Member<Key>>;

  constructor(group: MatchedGroup<Key>, index: AddressIndex<Member<Key>>) {
    this.#group = group;
    this.#index = index;
  }

  /** Exact. Visits every address in the cluster that is shared at the moment: few, or none. */
  get size(): number {
    let size = this.#group.holdings;
    for (const address of this.#index.shared()) size -= Math.max(0, this.#holdersInside(address) - 1);
    return size;
  }

  has(address: IpAddress): boolean {
    return this.#index.isHeld(address, (holder) => this.#isInside(holder));
  }

  *keys(): Generator<IpAddress, void> {
    for (const member of this.#group.all())
      for (const address of member.ips) if (this.#speaksFor(member, address)) yield address;
  }

  /** Whether the member is the first of those that share the address, so that the address counts once. */
  #speaksFor(member: Member<Key>, address: IpAddress): boolean {
    return !this.#index.isShared(address) || this.#firstInside(address) === member;
  }

  #firstInside(address: IpAddress): Member<Key> | undefined {
    for (const holder of this.#index.holders(address)) if (this.#isInside(holder)) return holder;
    return undefined;
  }

  #holdersInside(address: IpAddress): number {
    let count = 0;
    for (const holder of this.#index.holders(address)) if (this.#isInside(holder)) count++;
    return count;
  }

  #isInside(holder: Member<Key>): boolean {
    return holder.identity.groups.has(this.#group);
  }
}
