// NG001, NG002, NG013: rules that never decide, because others come before them, and passes that nobody takes up. In a world
// with connections that a rule matches the answer is exact (reach/fates.ts); of a rule that matches none, because its pods
// are not there or not given, what its selectors say.

import type { Policy } from "../../policy/ir.ts";
import { isAskedBefore, takeTurns } from "../../policy/order.ts";
import type { Context } from "../context.ts";
import type { Draft, Target } from "../draft.ts";
import { ofPolicy, ofRule, partOf } from "../draft.ts";
import { areCovered, subjectImplies } from "../implication.ts";
import type { Before } from "../reach/fates.ts";
import type { Entry } from "../reach/order.ts";
import { subjectOf } from "../reach/vocabulary.ts";
import { voiceOfRule } from "../reach/walk.ts";
import { fewOf } from "../../lib/few.ts";
import { ruleIn } from "../words.ts";

const shown = 3;

export function* shadowed(context: Context): Generator<Draft> {
  for (const entry of context.entries()) {
    const before = shadowsOf(entry, context);
    if (before.length === 0 || !isOfAll(entry, context, (one) => shadowsOf(one, context).length > 0))
      continue;
    const names = namesOf(entry, before);
    const first = before.at(0);
    const above =
      first === undefined
        ? ""
        : `, or move it above ${ruleIn(entry.policy, first.policy, entry.direction, first.entry?.rule ?? null)}`;
    yield {
      ...{ severity: "warning", target: ofRule(entry), field: partOf(entry), related: before.map(targetOf) },
      message: `never decides: earlier rules of the policy match everything that it matches (${names})`,
      fix: `delete it${above}`,
    };
  }
}

export function* unreachable(context: Context): Generator<Draft> {
  for (const entry of context.entries()) {
    const before = hidersOf(entry, context);
    if (before.length === 0 || !isOfAll(entry, context, (one) => hidersOf(one, context).length > 0)) continue;
    const names = namesOf(entry, before);
    yield {
      ...{ severity: "warning", target: ofRule(entry), field: partOf(entry), related: before.map(targetOf) },
      message: `never decides: ${whoIsBefore(entry, before)} decide everything that it matches (${names})`,
      fix: `raise the policy above them, or narrow ${names}`,
    };
  }
}

/** Of a rule that is written as one and compiled into several: whether it holds for all, and this is the first to say so. */
export function isOfAll(entry: Entry, context: Context, holds: (one: Entry) => boolean): boolean {
  const { policy, direction, rule } = entry;
  if (rule.share === null) return true;
  const all = context
    .entries()
    .filter((one) => one.policy === policy && one.direction === direction && one.rule.index === rule.index);
  return all[0] === entry && all.every(holds);
}

function whoIsBefore({ policy: own }: Entry, before: readonly Before[]): string {
  return before.some(({ policy }) => takeTurns(policy, own))
    ? "rules of other policies that are asked before it"
    : "policies before this one";
}

/** Who decides before a rule that its own policy leaves nothing; none: the rule is not shadowed. */
export function shadowsOf(entry: Entry, context: Context): readonly Before[] {
  const fate = context.fates.of(entry);
  if (fate === "shadowed") return context.fates.before(entry);
  if (fate !== "unmatched" || entry.rule.peers.length === 0) return [];
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

/** Who of other policies decides before a rule that is not shadowed; none: the rule can be reached. */
export function hidersOf(entry: Entry, context: Context): readonly Before[] {
  const fate = context.fates.of(entry);
  if (fate === "unreachable") return context.fates.before(entry);
  if (fate !== "unmatched" || entry.rule.peers.length === 0) return [];
  if (shadowsOf(entry, context).length > 0) return [];
  const { policies } = context.reach.order;
  const others = policies.filter((one) => one !== entry.policy);
  for (const policy of others.filter((one) => isBefore(one, entry.policy) || takeTurns(one, entry.policy))) {
    const isSameTier = policy.tier.order === entry.policy.tier.order;
    const isolates = !isSameTier && policy.unmatched[entry.direction] === "deny";
    if (isolates && appliesToAll(entry, policy, null) && !mayPass(policies, entry, policy, Infinity))
      return [{ policy, entry: null }];
    const one = policy.rules[entry.direction].find(
      (rule) =>
        (isBefore(policy, entry.policy) || isAskedBefore([policy, rule], [entry.policy, entry.rule])) &&
        appliesToAll(entry, policy, rule.subject) &&
        areCovered(entry.rule, [rule]) &&
        (isSameTier || (voiceOfRule(rule) !== "pass" && !mayPass(policies, entry, policy, rule.index))),
    );
    if (one !== undefined) return [before(context, entry, policy, one.index)];
  }
  return [];
}

/** Whether the tier of a policy may pass something on before its rule of this index; behind it: at all. */
function mayPass(policies: readonly Policy[], { direction }: Entry, by: Policy, index: number): boolean {
  return policies.some(
    (policy) =>
      policy.tier.order === by.tier.order &&
      (index === Infinity || policy.priority <= by.priority) &&
      policy.rules[direction].some((rule) => rule.action === "pass" && (policy !== by || rule.index < index)),
  );
}

function isBefore(policy: Policy, than: Policy): boolean {
  if (policy.tier.order !== than.tier.order) return policy.tier.order < than.tier.order;
  return policy.priority < than.priority;
}

function appliesToAll(entry: Entry, policy: Policy, subject: Policy["subject"] | null): boolean {
  return subjectImplies(subjectOf(entry.policy, entry.rule), subject ?? policy.subject);
}

function before(context: Context, { direction }: Entry, policy: Policy, index: number): Before {
  const entries = context.reach.order.entries[direction];
  const entry = entries.find((one) => one.policy === policy && one.rule.index === index) ?? null;
  return { policy, entry };
}

function namesOf({ policy: own, direction }: Entry, before: readonly Before[]): string {
  const names = before.map(({ policy, entry }) => ruleIn(own, policy, direction, entry?.rule ?? null));
  return fewOf(names.length, names.slice(0, shown));
}

function targetOf({ policy, entry }: Before): Target {
  return entry === null ? ofPolicy(policy) : ofRule(entry);
}
