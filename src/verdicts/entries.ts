// The rules of two worlds as entries, in the order in which they are asked: a rule that both worlds have is one entry, an
// edited one is two. A policy's rules are held against each other from both ends of the list, so what is between the common
// head and the common tail has changed. Invariant: entries of both worlds are in the same order in each.

import type { Action, Addresses, Direction, Peer, Policy, PortMatch, Rule, Subject } from "../policy/ir.ts";
import { everyPeer, groupKey } from "../policy/ir.ts";
import { placeInTurn, placeKey } from "../policy/order.ts";
import type { Placing } from "./placing.ts";
import { openRules, placingIn } from "./placing.ts";
import type { Both, OpenRules, PolicyWorld } from "./worlds.ts";
import { both, ofEach } from "./worlds.ts";

/** A rule; or, behind the rules of its tier, what a policy does with its subject's unmatched traffic. */
export interface Entry {
  /** Among the entries of both directions. */
  readonly id: number;
  /** Among the tiers of both worlds, from 0. */
  readonly tier: number;
  readonly priority: number;
  /** The policy's key. */
  readonly policy: string;
  /**
   * Equal for policies of one place whose rules take turns, or that a tie text orders; otherwise each policy has its own. Texts
   * are in the order of the policies' keys: several policies stand where their first one does.
   */
  readonly turn: string;
  /** The tie text; "" where none decides. */
  readonly tie: string;
  readonly action: Action;
  readonly subject: Subject;
  /** Where the subject's own address must be; null: anywhere. */
  readonly own: Addresses | null;
  readonly peers: readonly Peer[];
  readonly ports: readonly PortMatch[] | null;
  /** It matches only connections that a load balancer has led. */
  readonly translated: boolean;
  /** Denies what no rule of the tier matches. */
  readonly isolates: boolean;
  /** It is open whether it matches: what it may decide is left to the entries behind it, too. */
  readonly isOpen: boolean;
  /**
   * Whoever matches it in its tier needs to ask no later one there: no other policy has this priority but those that it takes
   * turns with, or all of them do the same.
   */
  readonly settles: boolean;
  /** In one of the worlds only. */
  readonly changed: boolean;
  /** The rule as each world has it; null: that world has it not. */
  readonly said: Both<RuleOfWorld | null>;
}

export type RuleOfWorld = OrderedRule | Isolation;

/** One object for one rule of a world. */
export interface OrderedRule {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: Rule;
}

export function subjectOf({ policy, rule }: Pick<OrderedRule, "policy" | "rule">): Subject {
  return rule.subject ?? policy.subject;
}

export interface Isolation {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: null;
}

/** For each world its entries of the direction: by tier, priority, turn or policy, and place; isolation at the end of the tier. */
export function entriesOf(worlds: Both<PolicyWorld>, direction: Direction): Both<readonly Entry[]> {
  const byKey = both((age) => new Map(worlds[age].policies.map((policy) => [policy.key, policy])));
  const keys = new Set([...byKey.old.keys(), ...byKey.new.keys()]);
  const open = openRules(worlds);
  const placing = placingIn(worlds, direction, open);
  const found: Both<Entry[]> = both(() => []);
  let id = direction === "egress" ? 1 : 0;
  const pairsOf = (key: Policy["key"]) => aligned(byKey.old.get(key), byKey.new.get(key), direction);
  for (const said of [...keys].flatMap(pairsOf)) {
    for (const opened of openedOf(said, open)) {
      const entry = entryOf(id, said, placing, opened);
      id += 2;
      if (said.old !== null) found.old.push(entry);
      if (said.new !== null) found.new.push(entry);
    }
  }
  // The sort is stable: a policy's rules keep their places.
  return ofEach(worlds, (age) => found[age].sort(inOrder));
}

/** What a rule may do where it is open whether it matches, and to whom. */
type Opened = Pick<Entry, "action" | "peers">;

/** An entry for each. null: the rule matches or does not. */
function openedOf(said: Pair, open: OpenRules): readonly (Opened | null)[] {
  const { rule } = saidIn(said);
  const opened = rule === null ? undefined : open.get(rule);
  if (rule === null || opened === undefined) return [null];
  return opened.actions.map((action) => ({ action, peers: opened.byPeers ? rule.peers : everyPeer }));
}

function inOrder(one: Entry, other: Entry): number {
  if (one.tier !== other.tier) return one.tier - other.tier;
  if (one.isolates !== other.isolates) return one.isolates ? 1 : -1;
  if (one.priority !== other.priority) return one.priority - other.priority;
  const turns = compare(one.turn, other.turn) || placeOf(one) - placeOf(other) || compare(one.tie, other.tie);
  return turns || compare(one.policy, other.policy);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Among the entries of its turn; the rules of a policy that is asked alone are in order already. */
function placeOf({ said }: Entry): number {
  const { policy, rule } = saidIn(said);
  return policy.interleaved === true && rule !== null ? placeInTurn(rule) : 0;
}

/** As one of the worlds has it. */
export function saidIn(said: Both<RuleOfWorld | null>): RuleOfWorld {
  const one = said.old ?? said.new;
  if (one === null) throw new TypeError("a rule that no world has");
  return one;
}

type Pair = Both<RuleOfWorld | null>;

/** Every rule and isolation of the policy in either world. A policy that has moved shares nothing with itself. */
function aligned(old: Policy | undefined, next: Policy | undefined, direction: Direction): readonly Pair[] {
  const [before, after] = [listOf(old, direction), listOf(next, direction)];
  if (old === next) return before.map((one) => ({ old: one, new: one }));
  const isMoved = old === undefined || next === undefined || precedenceText(old) !== precedenceText(next);
  const [head, tail] = isMoved ? [0, 0] : commonEnds(before.map(textOf), after.map(textOf));
  const alone = (list: readonly RuleOfWorld[]) => list.slice(head, list.length - tail);
  return [
    ...pairs(before.slice(0, head), after),
    ...alone(before).map((one) => ({ old: one, new: null })),
    ...alone(after).map((one) => ({ old: null, new: one })),
    ...pairs(before.slice(before.length - tail), after.slice(after.length - tail)),
  ];
}

/** How many of the first and of the last texts are the same. */
function commonEnds(
  before: readonly string[],
  after: readonly string[],
): readonly [head: number, tail: number] {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [head, tail];
}

function pairs(before: readonly RuleOfWorld[], after: readonly RuleOfWorld[]): readonly Pair[] {
  return before.map((one, at) => ({ old: one, new: after[at] ?? null }));
}

function listOf(policy: Policy | undefined, direction: Direction): readonly RuleOfWorld[] {
  if (policy === undefined) return [];
  const rules = policy.rules[direction].map((rule) => ({ policy, direction, rule }));
  return policy.unmatched[direction] === "next" ? rules : [...rules, { policy, direction, rule: null }];
}

/**
 * Equal texts: the same rule for every connection. Among rules that take turns the index decides with which others: moved within
 * its policy, such a rule is another.
 */
function textOf({ policy, rule }: RuleOfWorld): string {
  if (rule === null) return `isolation ${subjectText(policy.subject)}`;
  const { index, action, own, peers, ports, translated } = rule;
  const place = policy.interleaved === true ? index : null;
  const where = own === undefined ? null : addressesText(own);
  const whom = [subjectText(subjectOf({ policy, rule })), where, peers.map(peerText)];
  return JSON.stringify([place, action, ...whom, ports, translated]);
}

export function subjectText(subject: Subject): string {
  return JSON.stringify(subject.map(groupKey));
}

/** Equal for peers that match the same ends in every world. */
export function peerText(peer: Peer): string {
  switch (peer.kind) {
    case "pods":
    case "nodes":
    case "hostNames":
      return groupKey(peer);
    case "sameNamespaces":
      return `same ${JSON.stringify(peer.keys)} ${peer.pods.text}`;
    case "narrowed":
      return `${groupKey(peer.pods)} ${addressesText(peer)}`;
    case "others":
      return `${addressesText(peer)} of none ${JSON.stringify(peer.pods.map(groupKey))}`;
    case "network":
      return `network ${peer.cidr} ${peer.except.join(" ")}`;
    case "everything":
      return "everything";
  }
}

/** Equal for the same addresses, written alike. */
export function addressesText({ networks, except }: Addresses): string {
  return `addresses ${networks.join(" ")} without ${except.join(" ")}`;
}

/** `opened`: of a rule of which it is open whether it matches. */
function entryOf(id: number, said: Pair, { turnOf, tierAt, settled }: Placing, opened: Opened | null): Entry {
  const { policy, rule } = saidIn(said);
  return {
    ...{ id, tier: tierAt(policy.tier), priority: policy.priority, policy: policy.key, said },
    turn: turnOf(policy),
    tie: policy.interleaved === true ? "" : (policy.tie ?? ""),
    ...(rule === null ? isolating(policy) : matching(policy, rule)),
    ...opened,
    isOpen: opened !== null,
    settles: opened === null && (rule === null || settled(policy)),
    changed: said.old === null || said.new === null,
  };
}

type Matching = Pick<Entry, "action" | "subject" | "own" | "peers" | "ports" | "translated" | "isolates">;

function isolating({ subject }: Policy): Matching {
  return {
    ...{ action: "deny", subject, own: null, peers: everyPeer, ports: null },
    ...{ translated: false, isolates: true },
  };
}

function matching(policy: Policy, rule: Rule): Matching {
  const { action, own = null, peers, ports, translated } = rule;
  return {
    ...{ action, subject: subjectOf({ policy, rule }), own, peers, ports },
    ...{ translated: translated === true, isolates: false },
  };
}

/** Equal for a policy in two worlds that has one place in the order in both. */
function precedenceText(policy: Policy): string {
  return JSON.stringify([placeKey(policy), policy.tie]);
}
