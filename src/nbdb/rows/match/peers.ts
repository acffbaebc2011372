// What represents the peers of a rule: address sets of the rule's own, or sets that it shares, and the term of the match
// that names them. Invariant: rules of equal peers in one form name the same things in the same order.

import { LRUCache } from "lru-cache";
import { unreachable } from "../../../lib/invariant.ts";
import type { IpFamily } from "../../../model/ip.ts";
import { everyAddress, familyOf } from "../../../model/ip.ts";
import type { Direction, PeerGroup, PolicyHead, Rule } from "../../../policy/ir.ts";
import { groupKey } from "../../../policy/ir.ts";
import type { EndTerm } from "../../../policy/normal-form.ts";
import { groupsOf, ownTerm, peerTerms } from "../../../policy/normal-form.ts";
import type { RowForm } from "../../../policy/contracts/row-form.ts";
import { rowForm } from "../form.ts";
import type { PeersOfFamily } from "./match.ts";
import { blocksTerm, either, peersTerm, peerTerm } from "./match.ts";
import type { PeersOfAcl } from "../names.ts";
import {
  addressSetIds,
  allPeers,
  hashedName,
  nameOwnerOf,
  podSelectorOwnerType,
  selectorOwnerType,
} from "../names.ts";
import { podSelectorSets } from "./pod-selectors.ts";
import type { RenderOptions } from "../render-mode.ts";
import { groupKeys, isOfOthers, limitsOf, networksOf } from "../../../contents/rule-peers.ts";
import type { SelectorSets } from "../sets/selector-sets.ts";
import { othersKey, othersSets, selectorSets } from "../sets/selector-sets.ts";
import type { SharedUnit } from "../sets/shared-unit.ts";
import type { DesiredAddressSet } from "../unit.ts";
import { unitOfPolicy } from "../unit.ts";

export interface PeerRows {
  /** The rule's own sets, one for each family. */
  readonly addressSets: readonly DesiredAddressSet[];
  /** The units with the sets that it shares, each once. */
  readonly shared: readonly SharedUnit[];
  /** The term of the match; null: nothing matches, and the rule has no ACL. */
  readonly term: string | null;
  /** The term in parts, of which each has ACLs of its own; one part in most forms. */
  readonly parts: readonly PeerPart[];
}

export interface PeerPart extends PeersOfAcl {
  readonly term: string;
}

interface RuleOf {
  readonly policy: PolicyHead;
  readonly direction: Direction;
  readonly rule: Rule;
  /** Of the rule's peers. */
  readonly terms: readonly EndTerm[];
}

const noSets: readonly DesiredAddressSet[] = [];

export function renderPeers(rule: Omit<RuleOf, "terms">, options: RenderOptions): PeerRows {
  const of = { ...rule, terms: peerTerms(rule.rule) };
  const form = rowForm(of.policy, options);
  if (isOfSharedSets(of)) return sharedSets(of, options, ownerOfSets(form));
  switch (form.sets) {
    case "rule":
      return ownSets(of, options);
    case "selector":
      return sharedSets(of, options, form.ownerType);
    case "networkPolicy":
      return podSelectors(of, options);
    default:
      return unreachable(form);
  }
}

/**
 * Whether addresses of pods are restricted, or those of no pod of a group are meant, so that no set of a group has what is meant: sets
 * are named beside networks, in any form. And host names have sets of their own in any form: all rules of a pattern learn an
 * answer by one element.
 */
function isOfSharedSets({ rule, terms }: RuleOf): boolean {
  return (
    rule.own !== undefined ||
    terms.some((term) => term.within !== null || isOfOthers(term) || term.anyOf.hostNames.length > 0)
  );
}

function ownerOfSets(form: RowForm): string {
  if (form.sets === "selector") return form.ownerType;
  return form.sets === "networkPolicy" ? podSelectorOwnerType : selectorOwnerType;
}

function ownSets(of: RuleOf, { families }: RenderOptions): PeerRows {
  const addressSets = families.map((family) => ownSet(of, family));
  const term = peerTerm(of.direction, addressSets);
  return { addressSets, shared: [], term, parts: [{ ...allPeers, term }] };
}

function ownSet({ policy, direction, rule, terms }: RuleOf, family: IpFamily): DesiredAddressSet {
  const externalIds = addressSetIds(policy, direction, rule, family);
  return {
    unit: unitOfPolicy(policy.key),
    name: hashedName(externalIds),
    externalIds,
    family,
    groups: groupKeys(terms.flatMap(({ anyOf }) => groupsOf(anyOf))),
    networks: new Set(terms.flatMap((term) => networksOf(term, family))),
  };
}

/** Many rules have the same groups, and what represents a group follows from it alone. */
const madeBefore = new LRUCache<string, SelectorSets>({ max: 4096 });

function setsOf(terms: readonly EndTerm[], owner: string) {
  const found = new Map<string, SelectorSets>();
  const add = (text: string, make: () => SelectorSets): void => {
    const key = `${owner} ${text}`;
    if (found.has(key)) return;
    const sets = madeBefore.get(key) ?? make();
    madeBefore.set(key, sets);
    found.set(key, sets);
  };
  const names = new Set<PeerGroup>(terms.flatMap(({ anyOf }) => anyOf.hostNames));
  for (const group of terms.flatMap(({ anyOf }) => groupsOf(anyOf)))
    add(groupKey(group), () =>
      names.has(group) ? selectorSets(group, nameOwnerOf(owner)) : makeSets(group, owner),
    );
  for (const { noneOf } of terms.filter(isOfOthers)) add(othersKey(noneOf), () => othersSets(noneOf, owner));
  return [...found.values()];
}

function makeSets(group: PeerGroup, owner: string): SelectorSets {
  return owner === podSelectorOwnerType ? podSelectorSets(group) : selectorSets(group, owner);
}

/** Networks follow from the rule alone: they are in the match, where an added or removed pod changes nothing. */
function sharedSets(of: RuleOf, { families }: RenderOptions, owner: string): PeerRows {
  const { direction } = of;
  const shared = setsOf(of.terms, owner);
  const peers = families.map((family) => peersOfFamily(of, family, owner));
  const term = peersTerm(direction, peers);
  if (shared.length > 0 && families.length > 1)
    return { addressSets: noSets, shared, term, parts: familiesApart(direction, peers) };
  return { addressSets: noSets, shared, term, parts: term === null ? [] : [{ ...allPeers, term }] };
}

function peersOfFamily({ rule, terms }: RuleOf, family: IpFamily, owner: string): PeersOfFamily {
  const setNames = (of: readonly EndTerm[]) => setsOf(of, owner).map((one) => one.setName(family));
  const plain = terms.filter((term) => term.within === null && !isOfOthers(term));
  const peers = {
    ...{ family, sets: setNames(plain), networks: plain.flatMap((one) => networksOf(one, family)) },
  };
  const own = ownTerm(rule);
  const narrowed = narrowedAlike(terms).map(([first, ...others]) => ({
    sets: setNames([first, ...others]),
    networks: limitsOf(first, family) ?? [],
  }));
  // What is excepted is not in the set.
  const outside = terms.filter(isOfOthers).map((term) => ({
    sets: setNames([term]),
    networks: term.anyOf.networks.filter((cidr) => familyOf(cidr) === family),
  }));
  return {
    ...peers,
    narrowed: [...narrowed, ...outside],
    ...(own === null ? {} : { own: networksOf(own, family) }),
  };
}

/** Terms that are narrowed to the same networks together. */
function narrowedAlike(terms: readonly EndTerm[]): readonly (readonly [EndTerm, ...EndTerm[]])[] {
  const narrowed = terms.filter(({ within }) => within !== null);
  const alike = Map.groupBy(narrowed, ({ within, noneOf }) =>
    JSON.stringify([within?.networks, noneOf.networks]),
  );
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  );
}

/**
 * Where sets of two families are named, each family has ACLs of its own. Of one match about both OVN makes a flow for each pair
 * of an address and a port of the subject, and makes all of them again for every pod that is added or removed (docs/dataplane.md).
 */
function familiesApart(direction: Direction, peers: readonly PeersOfFamily[]): readonly PeerPart[] {
  return peers.flatMap((one) => {
    const term = peersTerm(direction, [one]);
    return term === null ? [] : [{ term, blocks: null, family: one.family }];
  });
}

/** Selectors and networks apart. Networks are written for every family: one that is not served matches nothing. */
function podSelectors({ direction, terms }: RuleOf, { families }: RenderOptions): PeerRows {
  const shared = setsOf(terms, podSelectorOwnerType);
  const isEvery = terms.some(({ anyOf }) => anyOf.everything);
  const selected = peersTerm(
    direction,
    families.map((family) => ({
      family,
      sets: shared.map((one) => one.setName(family)),
      networks: isEvery ? [everyAddress(family)] : [],
    })),
  );
  const blocks = terms.flatMap(({ anyOf, noneOf }) =>
    anyOf.networks.map((cidr) => ({ cidr, except: noneOf.networks })),
  );
  const parts: readonly PeerPart[] = [
    ...(selected === null ? [] : [{ ...allPeers, term: selected, blocks: -1 } as const]),
    ...(blocks.length === 0
      ? []
      : [{ ...allPeers, term: blocksTerm(direction, blocks), blocks: -2 } as const]),
  ];
  const term = parts.length === 0 ? null : either(parts.map((part) => part.term));
  return { addressSets: noSets, shared, term, parts };
}
