// One kind of entity, pods, nodes or host names, and the groups over it: where each member is, and which groups a change touches.
// Knows nothing of facts. Invariant: its state depends on the present placements, scopes and retained groups, not on
// the path.
//
// The contract of a kind, which groups.property.test.ts holds for each: a source gives its facts to the fact store, and Groups
// places or removes a member for every change. A group is retained before it is read; its first members give no edges. Each
// address of a member is in the group once, however many members have it. From then on every address that a change adds or
// takes away is an edge, so that a backend writes elements of sets and no rule. A member whose scope is unknown is in no
// group. Networks have no members: rules list them.

import type { GroupKey } from "../policy/ir.ts";
import type { IpAddress } from "../model/ip.ts";
import type { Labels } from "../model/labels.ts";
import type { Selector } from "../model/selector.ts";
import type { SetView } from "../policy/contracts/membership.ts";
import type { Work } from "./work.ts";
import { AddressIndex } from "./address-index.ts";
import { AddressView, MemberView } from "./views.ts";
import { EdgeLog, type Touched } from "./edge-log.ts";
import { invariant } from "../lib/invariant.ts";
import { MatchJoin, type LabelIndexes } from "./match-join.ts";
import { Member, type Identity, type MatchedGroup, type Placement } from "./identity.ts";
import { PortNameIndex } from "./port-name-index.ts";
import { sameLabels } from "../model/same-facts.ts";

export class Population<Key> {
  readonly #join: MatchJoin<Key>;
  readonly #edges: EdgeLog<Key>;
  readonly #groups = new Map<GroupKey, MatchedGroup<Key>>();
  readonly #members = new Map<Key, Member<Key>>();
  readonly #addresses = new AddressIndex<Member<Key>>();
  readonly #portNames = new PortNameIndex<Key>();

  constructor(work: Work, labels: LabelIndexes) {
    this.#join = new MatchJoin(work, labels);
    this.#edges = new EdgeLog(work);
  }

  /** Places the member, wherever it was before. */
  place(key: Key, placement: Placement): void {
    const before = this.#members.get(key);
    const identity = this.#identity(before, placement);
    const after = new Member(key, identity, placement);
    this.#members.set(key, after);
    this.#enter(after);
    if (before === undefined) {
      this.#edges.moved(after, identity.groups);
      return;
    }
    if (before.identity === identity) {
      this.#edges.changed(before, after, identity.groups);
    } else {
      const [from, to] = [before.identity.groups, identity.groups];
      this.#edges.changed(before, after, from.intersection(to));
      this.#edges.moved(before, from.difference(to));
      this.#edges.moved(after, to.difference(from));
    }
    this.#leave(before);
  }

  /** Removing an unknown member changes nothing. */
  remove(key: Key): void {
    const before = this.#members.get(key);
    if (before === undefined) return;
    this.#members.delete(key);
    this.#edges.moved(before, before.identity.groups);
    this.#leave(before);
  }

  /** Null labels make the scope unknown: its members are in no group, but keep their places. */
  relabel(scope: string, labels: Labels | null): void {
    for (const { identity, left, entered } of this.#join.relabel(scope, labels))
      for (const member of identity.members) {
        this.#edges.moved(member, left);
        this.#edges.moved(member, entered);
      }
  }

  /** `scopes` selects scopes by their labels, `members` members of those scopes. */
  retain(key: GroupKey, scopes: Selector, members: Selector): void {
    this.#groups.set(key, this.#join.retain(key, scopes, members));
  }

  release(key: GroupKey): void {
    const group = this.#groups.get(key);
    invariant(group !== undefined, "a group was released that is not retained");
    this.#groups.delete(key);
    this.#edges.forget(group);
    this.#join.release(group);
  }

  retains(key: GroupKey): boolean {
    return this.#groups.has(key);
  }

  /** undefined: not retained here. */
  addresses(key: GroupKey): SetView<IpAddress> | undefined {
    const group = this.#groups.get(key);
    return group && new AddressView(group, this.#addresses);
  }

  /** undefined: not retained here. */
  members(key: GroupKey): SetView<Key> | undefined {
    const group = this.#groups.get(key);
    return group && new MemberView(group, this.#members);
  }

  /** Keys of the members that declare a container port of this name; undefined: not retained here. */
  declaring(key: GroupKey, name: string): IteratorObject<Key, void> | undefined {
    const group = this.#groups.get(key);
    return group && this.#portNames.membersOf(group, name).map((member) => member.key);
  }

  /** Keys of the members that hold the address; undefined: not retained here. */
  holders(key: GroupKey, address: IpAddress): IteratorObject<Key, void> | undefined {
    const group = this.#groups.get(key);
    if (group === undefined) return undefined;
    const inside = (member: Member<Key>): boolean => member.identity.groups.has(group);
    return this.#addresses
      .holders(address)
      .filter(inside)
      .map((member) => member.key);
  }

  groupsOf(key: Key): Iterable<GroupKey> {
    const groups = this.#members.get(key)?.identity.groups.values() ?? [].values();
    return groups.map((group: MatchedGroup<Key>) => group.key);
  }

  drain(): ReadonlyMap<MatchedGroup<Key>, Touched<Key>> {
    return this.#edges.drain();
  }

  /** A member with its old labels and name keeps its identity without a look-up. */
  #identity(before: Member<Key> | undefined, { scope, labels, name }: Placement): Identity<Key> {
    const old = before?.identity;
    if (old?.scope.name === scope && old.labels.name === name && sameLabels(old.labels.labels, labels))
      return old;
    return this.#join.identity(scope, labels, name);
  }

  #enter(member: Member<Key>): void {
    member.identity.add(member);
    this.#portNames.add(member);
    for (const address of member.ips) this.#addresses.add(address, member);
  }

  #leave(member: Member<Key>): void {
    const { identity } = member;
    identity.remove(member);
    this.#portNames.remove(member);
    for (const address of member.ips) this.#addresses.remove(address, member);
    if (identity.members.size === 0) this.#join.drop(identity);
  }
}
