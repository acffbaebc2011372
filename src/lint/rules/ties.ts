// NG003: policies of one tier and equal priority whose rules say different things of one connection. The API leaves open which
// of them decides. An error where a connection of this world meets both; information where only the selectors could.

import type { Policy } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { isOrderOpen, placeKey } from "../../policy/order.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofRule, partOf } from "../draft.ts";
import { inEveryRow, onceForEachRow } from "../everywhere.ts";
import { canMeetOwn, canMeetPeers, canMeetPorts, canMeetSubjects } from "../implication/meeting.ts";
import { excerptOf } from "../../lib/text/few.ts";
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
  const { certain, possible: perhaps } = tiedIn(context);
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
    const isUnknown = context.open.isAnywhere || perhaps.has(pairKey(a, b));
    if (pair !== null) yield draftOf("info", ...pair, isUnknown);
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

interface Tied {
  /** Each rule with the rules of later policies that it is tied with. */
  readonly certain: ReadonlyMap<OrderedRule, ReadonlySet<OrderedRule>>;
  /** Keys of pairs of policies that are tied where pods of workloads may be, and perhaps are not. */
  readonly possible: ReadonlySet<string>;
}

function tiedIn(context: Context): Tied {
  const certain = new Map<OrderedRule, Set<OrderedRule>>();
  const possible = new Set<string>();
  const seen = new Set<Row>();
  const tiesOf = onceForEachRow(tiesIn);
  for (const pair of context.reach.pairs()) {
    const [row] = pair.rows;
    if (pair.rows.length === 1 && row !== undefined && seen.size === seen.add(row).size) continue;
    for (const [one, other] of inEveryRow(pair, tiesOf).values())
      certain.set(one, (certain.get(one) ?? new Set<OrderedRule>()).add(other));
    if (pair.rows.length > 1)
      for (const [one, other] of pair.rows.flatMap((each) => [...tiesOf(each).values()]))
        possible.add(pairKey(one.policy, other.policy));
  }
  return { certain, possible };
}

type Tie = readonly [OrderedRule, OrderedRule];

/** By a key of their own. */
function tiesIn({ says }: Row): ReadonlyMap<string, Tie> {
  const ties = equalVoices(says).flatMap(tiesAmong);
  return new Map(
    ties.map((tie) => [tie.map(({ policy, rule }) => `${policy.key} ${rule.index}`).join(), tie]),
  );
}

/** Rules of one place in the order that speak, where they do not all say the same. */
function equalVoices(says: readonly Contribution[]): readonly (readonly Contribution[])[] {
  const speaking = says.filter(({ entry, said }) => entry !== null && said !== noTraffic);
  const places = Map.groupBy(speaking, ({ policy }) => placeKey(policy));
  return [...places.values()].filter((list) => new Set(list.map(effectOf)).size > 1);
}

function tiesAmong(equal: readonly Contribution[]): readonly Tie[] {
  return equal.flatMap((one, at) => {
    const against = equal
      .slice(at + 1)
      .filter(({ policy }) => policy !== one.policy && isOrderOpen(policy, one.policy))
      .filter((other) => effectOf(other) !== effectOf(one))
      .filter((other) => (other.said & one.said) !== noTraffic);
    return against.flatMap((other): readonly Tie[] =>
      one.entry === null || other.entry === null ? [] : [[one.entry, other.entry]],
    );
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
