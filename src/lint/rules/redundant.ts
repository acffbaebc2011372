// NG027 and NG028: policies that others make redundant, and rules that their own policy makes so, although they decide: removing
// them changes no verdict (verdicts/questions/removals.ts). Whether that holds for any objects is asked of the selectors alone. What only
// today's objects make redundant is not reported where it is there for objects that are added later: a rule that closes its policy, one
// that matches nothing here, or the isolation of pods that other policies need not isolate. A default deny is redundant beside another
// one alone. All that is reported can be removed together.

import { refText } from "../../analysis/ref.ts";
import { excerptOf } from "../../lib/text/few.ts";
import type { Direction, Policy, Rule } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { isSameTier } from "../../policy/order.ts";
import { isClosing } from "../closing.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofPolicy, ofRule, partOf } from "../draft.ts";
import { areCovered, subjectImplies } from "../implication/implication.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import { Removals } from "../../verdicts/questions/removals.ts";
import type { Before } from "../../verdicts/questions/rule-reachability.ts";
import { ruleIn } from "../words.ts";
import { partsOf } from "./order.ts";

const shown = 3;

interface Redundancy<Of> {
  readonly of: Of;
  readonly by: readonly Before[];
  /** Whatever objects there are; false: it is known of those that were read. */
  readonly always: boolean;
}

interface Redundancies {
  readonly policies: readonly Redundancy<Policy>[];
  readonly rules: readonly Redundancy<OrderedRule>[];
}

const known = new WeakMap<Context, Redundancies>();

export function* redundantPolicies(context: Context): Generator<Draft> {
  for (const { of, by, always } of redundanciesIn(context).policies) {
    const makers = [...new Set(by.map(({ policy }) => policy))];
    const names = saying(makers.map(({ ref }) => refText(ref)));
    yield {
      ...{
        severity: always ? "warning" : "info",
        target: ofPolicy(of),
        field: "",
        related: makers.map(ofPolicy),
      },
      ...words(always, names, "delete it"),
    };
  }
}

export function* redundantRules(context: Context): Generator<Draft> {
  for (const { of, by, always } of redundanciesIn(context).rules) {
    const rules = by.flatMap(({ entry }) => entry ?? []);
    const names = saying(
      rules.map(({ policy, direction, rule }) => ruleIn(of.policy, policy, direction, rule)),
    );
    yield {
      ...{ severity: "info", target: ofRule(of), field: partOf(of), related: rules.map(ofRule) },
      ...words(always, names, "delete it, or narrow the others"),
    };
  }
}

function words(always: boolean, names: string, fix: string): Pick<Draft, "message" | "fix"> {
  if (always) return { message: `changes no verdict: ${names} the same`, fix };
  return {
    message: `changes no verdict among today's objects: ${names} the same`,
    fix: `none is needed if its objects are added later; otherwise ${fix}`,
  };
}

function saying(names: readonly string[]): string {
  return `${excerptOf(names.length, names.slice(0, shown))} ${names.length === 1 ? "says" : "say"}`;
}

function redundanciesIn(context: Context): Redundancies {
  const found = known.get(context) ?? findIn(context);
  known.set(context, found);
  return found;
}

/** Of policies that repeat each other the last is reported, of rules the first: a rule behind one that repeats it is NG001. */
function findIn(context: Context): Redundancies {
  const removals = new Removals(context.reach);
  const policies: Redundancy<Policy>[] = [];
  const removed = new Set<Policy>();
  for (const policy of context.policies.toReversed()) {
    const others = context.reach.policies.filter((one) => one !== policy && !removed.has(one));
    const found = redundancyOf(policy, others, removals, context);
    if (found === null) continue;
    policies.unshift(found);
    removed.add(policy);
    removals.remove({ policy, rule: null });
  }
  const gone = new Set<Rule>();
  const rules = context.entries().flatMap((entry) => {
    const { policy, direction, rule } = entry;
    const others = policy.rules[direction].filter((one) => one.index !== rule.index && !gone.has(one));
    const found = removed.has(policy) ? null : redundancyOfRule(entry, others, removals, context);
    if (found === null) return [];
    removals.remove({ policy, rule: placeIn(entry) });
    for (const one of policy.rules[direction]) if (one.index === rule.index) gone.add(one);
    return [found];
  });
  return { policies, rules };
}

function redundancyOf(
  policy: Policy,
  others: readonly Policy[],
  removals: Removals,
  context: Context,
): Redundancy<Policy> | null {
  const inTier = others.filter((one) => isSameTier(one.tier, policy.tier) && haveOneEffect(one, policy));
  const entries = context.entries().filter((entry) => entry.policy === policy);
  // The isolation of pods that are added later must not rest on today's.
  if (!directions.every((direction) => isIsolatedBy(policy, direction, inTier))) return null;
  const by = removals.replacing({ policy, rule: null });
  if (!by?.every((one) => inTier.includes(one.policy))) return null;
  const always = isRepeated(policy, inTier);
  if (!always && !entries.every((entry) => isOfToday(entry, context))) return null;
  const involved = [{ policy, entry: null }, ...entries.map((entry) => ({ policy, entry })), ...by];
  return areKnown(involved, always, context) ? { of: policy, by, always } : null;
}

/** `others`: the rules of the policy that are left. */
function redundancyOfRule(
  entry: OrderedRule,
  others: readonly Rule[],
  removals: Removals,
  context: Context,
): Redundancy<OrderedRule> | null {
  const { policy, direction } = entry;
  const parts = partsOf(entry, context);
  // What never decides is reported as such, and what others decide in its place is their matter.
  if (parts.length === 0 || !parts.some((one) => context.reachability.of(one) === "speaks")) return null;
  const by = removals.replacing({ policy, rule: placeIn(entry) });
  if (!by?.every((one) => one.policy === policy && one.entry !== null)) return null;
  const always = isUnion([policy], direction) && parts.every((one) => areCoveredBy(one, others, policy));
  if (!always && !parts.every((one) => isOfToday(one, context))) return null;
  return areKnown([{ policy, entry }, ...by], always, context) ? { of: entry, by, always } : null;
}

function placeIn({ direction, rule: { index } }: OrderedRule): { direction: Direction; index: number } {
  return { direction, index };
}

/** Whether what holds for the objects that were read says something about the rule. */
function isOfToday(entry: OrderedRule, { reachability }: Context): boolean {
  return !isClosing(entry) && reachability.of(entry) !== "unmatched";
}

function areKnown(involved: readonly Before[], always: boolean, { open }: Context): boolean {
  if (involved.some(({ entry }) => entry !== null && open.isDoubtful(entry))) return false;
  return always || !involved.some((one) => open.isOpen(one));
}

/** Whether their rules do the same to a connection beyond its verdict. */
function haveOneEffect(one: Policy, other: Policy): boolean {
  return one.stateless === other.stateless && one.persistent === other.persistent;
}

/** A policy without rules is there to deny, whatever rules others get: only another one without rules replaces that. */
function isIsolatedBy(policy: Policy, direction: Direction, others: readonly Policy[]): boolean {
  if (policy.unmatched[direction] === "next") return true;
  const isBare = policy.rules[direction].length === 0;
  return others.some(
    ({ unmatched, rules, subject }) =>
      unmatched[direction] === "deny" &&
      (!isBare || rules[direction].length === 0) &&
      subjectImplies(policy.subject, subject),
  );
}

/** By the selectors: others of the tier allow whatever it allows, in any cluster. */
function isRepeated(policy: Policy, inTier: readonly Policy[]): boolean {
  return directions.every((direction) => {
    if (!isUnion([policy, ...inTier], direction)) return policy.rules[direction].length === 0;
    return policy.rules[direction].every((rule) => {
      const able = inTier.flatMap((one) =>
        one.rules[direction].filter((other) => applies(policy, rule, one.subject, other)),
      );
      return areCovered(rule, able);
    });
  });
}

/** Whether it does not matter which of the rules is asked first. */
function isUnion(policies: readonly Policy[], direction: Direction): boolean {
  return policies.every(({ rules }) => rules[direction].every(({ action }) => action === "allow"));
}

function areCoveredBy({ rule }: OrderedRule, others: readonly Rule[], policy: Policy): boolean {
  return areCovered(
    rule,
    others.filter((other) => applies(policy, rule, policy.subject, other)),
  );
}

function applies(policy: Policy, rule: Rule, subject: Policy["subject"], other: Rule): boolean {
  return subjectImplies(rule.subject ?? policy.subject, other.subject ?? subject);
}
