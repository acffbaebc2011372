// The structure behind every answer: members share label identities, and identities are in groups. A group keeps
// identities only, so its memory does not grow with replicas. Invariant: a group lists an identity if and only if the
// identity lists the group, and its counts are the sums over its identities.

import type { GroupKey } from "../policy/ir.ts";
import type { FiledSelector, LabelSet } from "./label-index.ts";
import type { IpAddress } from "../model/ip.ts";
import type { Labels } from "../model/labels.ts";
import type { NamedPort } from "../model/facts.ts";
import { invariant } from "../lib/invariant.ts";

/** The properties of a pod or a node that groups use. */
export interface Placement {
  /** The scope whose labels the first half of a group selects: the pod's namespace. */
  readonly scope: string;
  readonly labels: Labels;
  /** The name that selectors match beside the labels: the pod's service account; empty for a node. */
  readonly name: string;
  /** The node it runs on. */
  readonly home: string | null;
  readonly ips: readonly IpAddress[];
  readonly ports: readonly NamedPort[];
}

/** One pod or node at one moment; a change makes a new one. */
export class Member<Key> {
  readonly key: Key;
  readonly identity: Identity<Key>;
  readonly home: string | null;
  /** Distinct. */
  readonly ips: readonly IpAddress[];
  readonly ports: readonly NamedPort[];

  constructor(key: Key, identity: Identity<Key>, placement: Placement) {
    this.key = key;
    this.identity = identity;
    this.home = placement.home;
    this.ips = placement.ips.length < 2 ? placement.ips : [...new Set(placement.ips)];
    this.ports = placement.ports;
  }
}

/** A namespace by name, known or only referred to by its pods; for nodes, the cluster. */
export class Scope<Key> {
  readonly name: string;
  /** null while the scope is unknown: it matches nothing. */
  labels: LabelSet | null = null;
  readonly identities = new Map<LabelSet, Identity<Key>>();

  constructor(name: string) {
    this.name = name;
  }
}

/** One distinct (scope, labels, name). */
export class Identity<Key> {
  readonly scope: Scope<Key>;
  readonly labels: LabelSet;
  readonly groups = new Set<MatchedGroup<Key>>();
  readonly #members = new Set<Member<Key>>();
  #holdings = 0;

  constructor(scope: Scope<Key>, labels: LabelSet) {
    this.scope = scope;
    this.labels = labels;
  }

  get members(): ReadonlySet<Member<Key>> {
    return this.#members;
  }

  /** Addresses of the members; an address that two members share counts twice. */
  get holdings(): number {
    return this.#holdings;
  }

  add(member: Member<Key>): void {
    invariant(!this.#members.has(member), "a member was added twice to its identity");
    this.#members.add(member);
    this.#holdings += member.ips.length;
    for (const group of this.groups) group.count(1, member.ips.length);
  }

  remove(member: Member<Key>): void {
    invariant(this.#members.delete(member), "a member was removed that its identity does not have");
    this.#holdings -= member.ips.length;
    for (const group of this.groups) group.count(-1, -member.ips.length);
  }
}

/** A retained group. */
export class MatchedGroup<Key> {
  readonly key: GroupKey;
  readonly scopes: FiledSelector;
  readonly members: FiledSelector;
  readonly #identities = new Set<Identity<Key>>();
  #memberCount = 0;
  #holdings = 0;

  constructor(key: GroupKey, scopes: FiledSelector, members: FiledSelector) {
    this.key = key;
    this.scopes = scopes;
    this.members = members;
  }

  get identities(): ReadonlySet<Identity<Key>> {
    return this.#identities;
  }

  get memberCount(): number {
    return this.#memberCount;
  }

  /** As `Identity.holdings`. */
  get holdings(): number {
    return this.#holdings;
  }

  *all(): Generator<Member<Key>, void> {
    for (const identity of this.#identities) yield* identity.members;
  }

  admit(identity: Identity<Key>): void {
    invariant(!this.#identities.has(identity), "an identity entered a group twice");
    this.#identities.add(identity);
    identity.groups.add(this);
    this.count(identity.members.size, identity.holdings);
  }

  expel(identity: Identity<Key>): void {
    invariant(this.#identities.delete(identity), "an identity left a group it was not in");
    identity.groups.delete(this);
    this.count(-identity.members.size, -identity.holdings);
  }

  count(members: number, holdings: number): void {
    this.#memberCount += members;
    this.#holdings += holdings;
  }
}
