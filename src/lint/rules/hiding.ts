// What precedes a rule that never decides. For the objects that were read the answer is exact (verdicts/questions/rule-reachability.ts);
// whether it holds for any others is asked of the selectors alone, which may say no although it does. Of a rule that matches no
// connection here, because its pods are not there or not given, only the selectors are asked; and so they are of a rule of names to which not all
// answers are recorded.

import type { Policy } from "../../policy/ir.ts";
import { compareDecided, isAskedBefore, isSameTier, takeTurns } from "../../policy/order.ts";
import type { Context } from "../context.ts";
import { areCovered, subjectImplies } from "../implication/implication.ts";
import type { Before, Reachability } from "../../verdicts/questions/rule-reachability.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import { subjectOf } from "../../verdicts/entries.ts";
import { effectOfRule } from "../../verdicts/row.ts";

export interface Hiding {
  readonly before: readonly Before[];
  /** Whatever pods, namespaces and nodes there are; false: it is known of those that were read. */
  readonly always: boolean;
}

/** Who decides before a rule that its own policy leaves nothing; null: the rule is not shadowed. */
export function shadowsOf(entry: OrderedRule, context: Context): Hiding | null {
  return hidingOf(entry, context, "shadowed", shadowsBySelectors);
}

/** Who of other policies decides before a rule that is not shadowed; null: the rule can be reached. */
export function hidersOf(entry: OrderedRule, context: Context): Hiding | null {
  return hidingOf(entry, context, "unreachable", hidersBySelectors);
}

/** `parts`: one rule as it is written, compiled into several. null: not all of them are hidden. */
export function togetherHidden(
  parts: readonly OrderedRule[],
  hidingOfOne: (entry: OrderedRule) => Hiding | null,
): Hiding | null {
  const all = parts.map(hidingOfOne).filter((one) => one !== null);
  const [first] = all;
  if (first === undefined || all.length < parts.length) return null;
  return { before: first.before, always: all.every(({ always }) => always) };
}

function hidingOf(
  entry: OrderedRule,
  context: Context,
  reachability: Reachability,
  bySelectors: (entry: OrderedRule, context: Context) => readonly Before[],
): Hiding | null {
  const own = context.reachability.of(entry);
  if (own !== reachability && (own !== "unmatched" || entry.rule.peers.length === 0)) return null;
  const before = bySelectors(entry, context);
  if (own === reachability && (before.length === 0 || !context.open.lacksAnswers(entry)))
    return { before: context.reachability.before(entry), always: before.length > 0 };
  return before.length === 0 ? null : { before, always: true };
}

function shadowsBySelectors(entry: OrderedRule, context: Context): readonly Before[] {
  const earlier = entry.policy.rules[entry.direction].filter((rule) => rule.index < entry.rule.index);
  const able = earlier.filter((rule) => appliesToAll(entry, entry.policy, rule.subject));
  if (!areCovered(entry.rule, able)) return [];
  const covering = able.filter(
    (rule) =>
      !areCovered(
        entry.rule,
        able.filter((other) => other !== rule),
      ),
  );
  return (covering.length > 0 ? covering : able).map((rule) =>
    before(context, entry, entry.policy, rule.index),
  );
}

function hidersBySelectors(entry: OrderedRule, context: Context): readonly Before[] {
  if (shadowsBySelectors(entry, context).length > 0) return [];
  const { policies } = context.reach;
  const others = policies.filter((one) => one !== entry.policy);
  for (const policy of others.filter((one) => isBefore(one, entry.policy) || takeTurns(one, entry.policy))) {
    const isInTier = isSameTier(policy.tier, entry.policy.tier);
    const isolates = !isInTier && policy.unmatched[entry.direction] === "deny";
    if (isolates && appliesToAll(entry, policy, null) && !mayPass(policies, entry, policy, Infinity))
      return [{ policy, entry: null }];
    const one = policy.rules[entry.direction].find(
      (rule) =>
        (isBefore(policy, entry.policy) || isAskedBefore([policy, rule], [entry.policy, entry.rule])) &&
        appliesToAll(entry, policy, rule.subject) &&
        areCovered(entry.rule, [rule]) &&
        (isInTier || (effectOfRule(rule) !== "pass" && !mayPass(policies, entry, policy, rule.index))),
    );
    if (one !== undefined) return [before(context, entry, policy, one.index)];
  }
  return [];
}

/** Whether the tier of a policy may pass something on before its rule of this index; behind it: at all. */
function mayPass(
  policies: readonly Policy[],
  { direction }: OrderedRule,
  by: Policy,
  index: number,
): boolean {
  return policies.some(
    (policy) =>
      isSameTier(policy.tier, by.tier) &&
      (index === Infinity || policy.priority <= by.priority) &&
      policy.rules[direction].some((rule) => rule.action === "pass" && (policy !== by || rule.index < index)),
  );
}

function isBefore(policy: Policy, than: Policy): boolean {
  return compareDecided(policy, than) < 0;
}

function appliesToAll(entry: OrderedRule, policy: Policy, subject: Policy["subject"] | null): boolean {
  return subjectImplies(subjectOf(entry), subject ?? policy.subject);
}

function before(context: Context, { direction }: OrderedRule, policy: Policy, index: number): Before {
  const entries = context.reach.rules[direction];
  const entry = entries.find((one) => one.policy === policy && one.rule.index === index) ?? null;
  return { policy, entry };
}
