// NG001 and NG002: rules that never decide, because others precede them. A rule that only the objects read here leave
// nothing is reported as such, and is not to be deleted for that; a rule that closes its policy is then not reported at all.

import { isSameTier, takeTurns } from "../../policy/order.ts";
import { excerptOf } from "../../lib/text/few.ts";
import { isClosing } from "../closing.ts";
import type { Context } from "../context.ts";
import type { Draft, Target } from "../draft.ts";
import { ofPolicy, ofRule, partOf } from "../draft.ts";
import type { Before } from "../../verdicts/questions/rule-reachability.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import { effectOf } from "../../verdicts/row.ts";
import { ruleIn } from "../words.ts";
import { valueAt } from "../written.ts";
import type { Hiding } from "./hiding.ts";
import { hidersOf, shadowsOf, togetherHidden } from "./hiding.ts";

const shown = 3;

export function* shadowed(context: Context): Generator<Draft> {
  for (const [entry, hiding] of hiddenRules(context, shadowsOf))
    yield draftOf(entry, hiding, "earlier rules of the policy match", shadowFix(entry, hiding));
}

export function* unreachable(context: Context): Generator<Draft> {
  for (const [entry, hiding] of hiddenRules(context, hidersOf))
    yield draftOf(entry, hiding, `${whoIsBefore(entry, hiding)} decide`, hiderFix(entry, hiding, context));
}

function* hiddenRules(
  context: Context,
  hidingOf: (entry: OrderedRule, context: Context) => Hiding | null,
): Generator<readonly [OrderedRule, Hiding]> {
  for (const entry of context.entries()) {
    const hiding = togetherHidden(partsOf(entry, context), (one) => hidingOf(one, context));
    if (hiding === null || !isCertain(entry, hiding, context)) continue;
    if (hiding.always || !isClosing(entry)) yield [entry, hiding];
  }
}

/** Whether it would be so whatever the unread objects say, and whatever DNS answers to names without recorded answers. */
export function isCertain(entry: OrderedRule, { before, always }: Hiding, { open }: Context): boolean {
  const involved = [{ policy: entry.policy, entry }, ...before];
  const isDoubtful = (one: OrderedRule) =>
    always ? open.isDoubtfulWhateverAnswers(one) : open.isDoubtful(one);
  if (involved.some((one) => one.entry !== null && isDoubtful(one.entry))) return false;
  return always || !involved.some((one) => open.isOpen(one));
}

/** A rule that is written as one and compiled into several, under the first of these; none under the others. */
export function partsOf(entry: OrderedRule, context: Context): readonly OrderedRule[] {
  const { policy, direction, rule } = entry;
  if (rule.share === null) return [entry];
  const all = context
    .entries()
    .filter((one) => one.policy === policy && one.direction === direction && one.rule.index === rule.index);
  return all[0] === entry ? all : [];
}

function draftOf(entry: OrderedRule, { before, always }: Hiding, who: string, fix: string): Draft {
  const everything = always ? "everything that it matches" : "all that it matches of them";
  return {
    ...{
      severity: "warning",
      target: ofRule(entry),
      field: partOf(entry),
      related: before.map(targetOf),
      fix,
    },
    message:
      `${always ? "never decides" : "decides nothing among today's objects"}: ` +
      `${who} ${everything} (${namesOf(entry, before)})`,
  };
}

function shadowFix(entry: OrderedRule, { before, always }: Hiding): string {
  const [first] = before;
  const saysOtherwise = before.some((one) => effectOf(one) !== effectOf({ entry }));
  const above = first === undefined || !saysOtherwise ? null : `move it above ${namesOf(entry, [first])}`;
  if (isClosing(entry)) return keptFix(entry, before);
  if (always) return above === null ? "delete it" : `delete it, or ${above}`;
  return above === null
    ? "none is needed"
    : `none is needed if its objects are added later; otherwise ${above}`;
}

function hiderFix(entry: OrderedRule, { before, always }: Hiding, context: Context): string {
  if (isClosing(entry)) return keptFix(entry, before);
  const raise = canBeRaised(entry, before, context) ? "give the policy a lower priority number, or " : "";
  const otherwise = `${raise}narrow ${narrowed(entry, before)}`;
  return always ? otherwise : `none is needed if its objects are added later; otherwise ${otherwise}`;
}

/** Of a rule that closes its policy. */
function keptFix(entry: OrderedRule, before: readonly Before[]): string {
  return `keep it, because it closes the policy; narrow ${narrowed(entry, before)} if it is to decide`;
}

/** Whether the policy has a priority, and one that counts against all of these. */
function canBeRaised({ policy }: OrderedRule, before: readonly Before[], context: Context): boolean {
  const field = context.dialectOf(policy.key).fieldOf({ kind: "priority" });
  const written = valueAt(context.record(policy.key)?.object, field);
  return typeof written === "number" && before.every((one) => isSameTier(one.policy.tier, policy.tier));
}

function whoIsBefore({ policy: own }: OrderedRule, { before }: Hiding): string {
  return before.some(({ policy }) => takeTurns(policy, own))
    ? "rules of other policies that are evaluated before it"
    : "policies before this one";
}

function namesOf({ policy: own, direction }: OrderedRule, before: readonly Before[]): string {
  const names = before.map(({ policy, entry }) => ruleIn(own, policy, direction, entry?.rule ?? null));
  return excerptOf(names.length, names.slice(0, shown));
}

/** What is to be narrowed: an isolation is as wide as the pods that its policy selects. */
function narrowed(entry: OrderedRule, before: readonly Before[]): string {
  const isIsolation = before.some((one) => one.entry === null);
  return isIsolation ? `${namesOf(entry, before)} to fewer pods` : namesOf(entry, before);
}

function targetOf({ policy, entry }: Before): Target {
  return entry === null ? ofPolicy(policy) : ofRule(entry);
}
