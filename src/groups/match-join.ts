// Which label identities are in which groups: the join of two matches, scope labels with a group's first selector and
// member labels with its second. Visits pairs, never evaluates a selector itself. Invariant: an identity is in a group
// if and only if its scope is known and both selectors match.

import type { FiledSelector, LabelIndex, LabelSet } from "./label-index.ts";
import type { GroupKey } from "../policy/ir.ts";
import type { Labels } from "../model/labels.ts";
import type { Selector } from "../model/selector.ts";
import type { Work } from "./work.ts";
import { Identity, MatchedGroup, Scope } from "./identity.ts";
import { invariant } from "../lib/invariant.ts";
import { Multimap } from "../lib/multimap.ts";

/** The effect of a relabelled scope on one identity. */
export interface Move<Key> {
  readonly identity: Identity<Key>;
  readonly left: readonly MatchedGroup<Key>[];
  readonly entered: readonly MatchedGroup<Key>[];
}

const nothing: ReadonlySet<FiledSelector> = new Set();

/** The indexes that match labels and selectors of each side; other code may hold entries in them too. */
export interface LabelIndexes {
  readonly scopes: LabelIndex;
  readonly members: LabelIndex;
}

export class MatchJoin<Key> {
  readonly #work: Work;
  readonly #scopeLabels: LabelIndex;
  readonly #memberLabels: LabelIndex;
  readonly #scopes = new Map<string, Scope<Key>>();
  readonly #scopesWith = new Multimap<LabelSet, Scope<Key>>();
  readonly #identitiesWith = new Multimap<LabelSet, Identity<Key>>();
  /** First selector, second selector. */
  readonly #groups = new Map<FiledSelector, Map<FiledSelector, MatchedGroup<Key>>>();

  constructor(work: Work, { scopes, members }: LabelIndexes) {
    this.#work = work;
    this.#scopeLabels = scopes;
    this.#memberLabels = members;
  }

  /** Finds or makes the identity; the caller must drop one that stays without members. */
  identity(scopeName: string, labels: Labels, name: string): Identity<Key> {
    const scope = this.#scope(scopeName);
    const set = this.#memberLabels.holdLabels(labels, name);
    const known = scope.identities.get(set);
    if (known !== undefined) {
      this.#memberLabels.releaseLabels(set);
      return known;
    }
    const identity = new Identity(scope, set);
    scope.identities.set(set, identity);
    this.#identitiesWith.add(set, identity);
    for (const selector of scope.labels?.matched ?? nothing)
      for (const group of this.#groupsOf(selector, set)) group.admit(identity);
    return identity;
  }

  drop(identity: Identity<Key>): void {
    invariant(identity.members.size === 0, "an identity with members was dropped");
    for (const group of identity.groups) group.expel(identity);
    identity.scope.identities.delete(identity.labels);
    this.#identitiesWith.remove(identity.labels, identity);
    this.#memberLabels.releaseLabels(identity.labels);
    this.#forgetIfUnused(identity.scope);
  }

  /** Null labels make the scope unknown. Returns only the memberships that changed. */
  relabel(scopeName: string, labels: Labels | null): readonly Move<Key>[] {
    const scope = this.#scope(scopeName);
    const before = scope.labels;
    const after = labels === null ? null : this.#scopeLabels.holdLabels(labels, scopeName);
    if (after !== before) {
      scope.labels = after;
      if (after !== null) this.#scopesWith.add(after, scope);
      if (before !== null) this.#scopesWith.remove(before, scope);
    }
    const moves = this.#moves(scope, before?.matched ?? nothing, after?.matched ?? nothing);
    // Hold before release: unchanged labels keep their matches.
    if (before !== null) this.#scopeLabels.releaseLabels(before);
    this.#forgetIfUnused(scope);
    return moves;
  }

  retain(key: GroupKey, scopes: Selector, members: Selector): MatchedGroup<Key> {
    const first = this.#scopeLabels.holdSelector(scopes);
    const second = this.#memberLabels.holdSelector(members);
    const group = new MatchedGroup<Key>(key, first, second);
    const row = this.#groups.get(first) ?? new Map<FiledSelector, MatchedGroup<Key>>();
    invariant(!row.has(second), "a group was retained beside its equal");
    this.#groups.set(first, row.set(second, group));
    for (const identity of this.#candidates(group)) {
      this.#work.candidateVisits++;
      const scopeLabels = identity.scope.labels;
      if (scopeLabels === null || !first.matched.has(scopeLabels)) continue;
      if (second.matched.has(identity.labels)) group.admit(identity);
    }
    return group;
  }

  release(group: MatchedGroup<Key>): void {
    for (const identity of group.identities) group.expel(identity);
    const row = this.#groups.get(group.scopes);
    invariant(row?.delete(group.members) === true, "a group was released that nobody retains");
    if (row.size === 0) this.#groups.delete(group.scopes);
    this.#scopeLabels.releaseSelector(group.scopes);
    this.#memberLabels.releaseSelector(group.members);
  }

  #scope(name: string): Scope<Key> {
    const known = this.#scopes.get(name);
    if (known !== undefined) return known;
    const scope = new Scope<Key>(name);
    this.#scopes.set(name, scope);
    return scope;
  }

  #forgetIfUnused(scope: Scope<Key>): void {
    if (scope.labels === null && scope.identities.size === 0) this.#scopes.delete(scope.name);
  }

  #moves(
    scope: Scope<Key>,
    before: ReadonlySet<FiledSelector>,
    after: ReadonlySet<FiledSelector>,
  ): readonly Move<Key>[] {
    const lost = before.difference(after);
    const gained = after.difference(before);
    if (lost.size === 0 && gained.size === 0) return [];
    const moves: Move<Key>[] = [];
    for (const identity of scope.identities.values()) {
      const groupsOf = (selector: FiledSelector) => this.#groupsOf(selector, identity.labels);
      const left = [...lost].flatMap(groupsOf);
      const entered = [...gained].flatMap(groupsOf);
      for (const group of left) group.expel(identity);
      for (const group of entered) group.admit(identity);
      if (left.length > 0 || entered.length > 0) moves.push({ identity, left, entered });
    }
    return moves;
  }

  /** Groups with this first selector whose second one selects the labels; iterates the shorter side. */
  #groupsOf(first: FiledSelector, labels: LabelSet): readonly MatchedGroup<Key>[] {
    const row = this.#groups.get(first);
    // Other users of the index of scope labels hold selectors that no group has.
    if (row === undefined) return [];
    this.#work.candidateVisits += Math.min(row.size, labels.matched.size);
    if (row.size > labels.matched.size)
      return [...labels.matched].map((second) => row.get(second)).filter((group) => group !== undefined);
    return [...row].filter(([second]) => labels.matched.has(second)).map(([, group]) => group);
  }

  /** Identities that one selector of the group matches: the one that matches fewer label sets. */
  *#candidates({ scopes, members }: MatchedGroup<Key>): Generator<Identity<Key>, void> {
    if (members.matched.size < scopes.matched.size) {
      for (const labels of members.matched) yield* this.#identitiesWith.get(labels);
      return;
    }
    for (const labels of scopes.matched)
      for (const scope of this.#scopesWith.get(labels)) yield* scope.identities.values();
  }
}
