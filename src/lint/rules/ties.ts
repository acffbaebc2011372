// NG003: policies of one tier and equal priority whose rules say different things of one connection. The API leaves open which
// of them decides. An error where a connection of this world meets both; information where only the selectors could.

import type { Policy } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { isOrderOpen, placeKey } from "../../policy/order.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofRule, partOf } from "../draft.ts";
import { canMeetOwn, canMeetPeers, canMeetPorts, canMeetSubjects } from "../meeting.ts";
import { excerptOf } from "../../lib/few.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import { subjectOf } from "../../verdicts/entries.ts";
import { noTraffic } from "../../verdicts/traffic.ts";
import type { Row, Contribution } from "../../verdicts/row.ts";
import { effectOf, effectOfRule } from "../../verdicts/row.ts";
import { ruleIn } from "../words.ts";
import { shadowsOf } from "./hiding.ts";

const shown = 3;
const fix = "give one of the policies another priority";

export function* ties(context: Context): Generator<Draft> {
  const certain = tiedIn(context.reach.rows());
  const told = new Set<string>();
  for (const entry of context.entries()) {
    const others = certain.get(entry) ?? new Set<OrderedRule>();
    const certainly = [...others].filter((other) => !isOpen(entry, context) && !isOpen(other, context));
    if (certainly.length === 0) continue;
    for (const other of certainly) told.add(pairKey(entry.policy, other.policy));
    yield draftOf("error", entry, certainly);
  }
  for (const [a, b] of equals(context.policies)) {
    if (told.has(pairKey(a, b))) continue;
    const pair = possible(a, b, context);
    if (pair !== null) yield draftOf("info", ...pair, context.open.isAnywhere);
  }
}

function isOpen(entry: OrderedRule, { open }: Context): boolean {
  return open.isOpen({ policy: entry.policy, entry }) || open.isDoubtful(entry);
}

/** `isUnknown`: what some policies select is not known. */
function draftOf(
  severity: "error" | "info",
  entry: OrderedRule,
  others: readonly OrderedRule[],
  isUnknown = false,
): Draft {
  const names = others
    .slice(0, shown)
    .map(
      ({ policy, direction, rule }) => `${ruleIn(entry.policy, policy, direction, rule)} (${rule.action})`,
    );
  const said = `has the tier and the priority of ${excerptOf(others.length, names)}, which says otherwise`;
  const today = isUnknown
    ? "whether a connection meets both today is not known"
    : "no connection meets both today";
  const when = severity === "error" ? "which of them decides is open" : `${today}, but one could`;
  return {
    ...{ severity, target: ofRule(entry), field: partOf(entry), fix, related: others.map(ofRule) },
    message: `${entry.rule.action} ${said}: ${when}`,
  };
}

/** Each rule with the rules of later policies that it is tied with. */
function tiedIn(rows: Iterable<Row>): ReadonlyMap<OrderedRule, ReadonlySet<OrderedRule>> {
  const tied = new Map<OrderedRule, Set<OrderedRule>>();
  for (const { says } of rows) for (const equal of equalVoices(says)) addTies(equal, tied);
  return tied;
}

/** Rules of one place in the order that speak, where they do not all say the same. */
function equalVoices(says: readonly Contribution[]): readonly (readonly Contribution[])[] {
  const speaking = says.filter(({ entry, said }) => entry !== null && said !== noTraffic);
  const places = Map.groupBy(speaking, ({ policy }) => placeKey(policy));
  return [...places.values()].filter((list) => new Set(list.map(effectOf)).size > 1);
}

function addTies(equal: readonly Contribution[], tied: Map<OrderedRule, Set<OrderedRule>>): void {
  equal.forEach((one, at) => {
    const against = equal
      .slice(at + 1)
      .filter(({ policy }) => policy !== one.policy && isOrderOpen(policy, one.policy))
      .filter((other) => effectOf(other) !== effectOf(one))
      .filter((other) => (other.said & one.said) !== noTraffic);
    for (const other of against) {
      if (one.entry === null || other.entry === null) continue;
      tied.set(one.entry, (tied.get(one.entry) ?? new Set<OrderedRule>()).add(other.entry));
    }
  });
}

/** Pairs of policies of one tier and equal priority whose order is open, the earlier first. */
function* equals(policies: readonly Policy[]): Generator<readonly [Policy, Policy]> {
  const places = Map.groupBy(policies, placeKey);
  for (const list of places.values())
    for (const [at, one] of list.entries()) {
      const others = list.slice(at + 1).filter((other) => isOrderOpen(one, other));
      yield* others.map((other) => [one, other] as const);
    }
}

/** The first rules that a connection could meet both, and that say different things. */
function possible(a: Policy, b: Policy, context: Context): [OrderedRule, OrderedRule[]] | null {
  for (const direction of directions) {
    if (a.rules[direction].length === 0 || b.rules[direction].length === 0) continue;
    const entries = context.reach.rules[direction];
    const [ours, theirs] = [a, b].map((policy) =>
      entries.filter((entry) => entry.policy === policy && shadowsOf(entry, context) === null),
    );
    for (const one of ours ?? []) {
      const other = theirs?.find((candidate) => couldTie(one, candidate));
      if (other !== undefined) return [one, [other]];
    }
  }
  return null;
}

function couldTie(one: OrderedRule, other: OrderedRule): boolean {
  return (
    effectOfRule(one.rule) !== effectOfRule(other.rule) &&
    canMeetSubjects(subjectOf(one), subjectOf(other)) &&
    canMeetOwn(one.rule.own, other.rule.own) &&
    canMeetPeers(one.rule.peers, other.rule.peers) &&
    canMeetPorts(one.rule.ports, other.rule.ports)
  );
}

function pairKey(a: Policy, b: Policy): string {
  return [a.key, b.key].sort().join(" ");
}
