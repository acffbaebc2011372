// What is in force of a policy while a backend cannot say some of its rules, for kinds that ask for it: each such rule denies
// what it matches, and where what it matches cannot be said, more than that. So nothing passes that the policy as written would
// stop. Pure.

import type { Refusal, RulePart } from "./contracts/backend.ts";
import type { Direction, Policy, Rule } from "./ir.ts";
import { directions, everyPeer, everyPod } from "./ir.ts";

type Field = RulePart["field"];

/**
 * The policy with the rules closed that these refusals are about, one step further than they are; all rules of one index are
 * closed together. null: a refusal is about more than a rule, or about one that nothing closes further.
 */
export function withClosedRules(policy: Policy, refusals: readonly Refusal[]): Policy | null {
  const parts: RulePart[] = [];
  for (const refusal of refusals) {
    const leading = rulesOf(refusal);
    if (leading.length === 0) return null;
    parts.push(...leading);
  }
  const rules = { ...policy.rules };
  for (const direction of directions) {
    const closed = closedIn(rules[direction], fieldsByIndex(parts, direction));
    if (closed === null) return null;
    rules[direction] = closed;
  }
  return { ...policy, rules };
}

/** The policy with the rules that were closed for want of a tier to pass to as they were written; itself where there is none. */
export function withPasses(policy: Policy): Policy {
  if (!directions.some((direction) => policy.rules[direction].some(({ closedFrom }) => closedFrom)))
    return policy;
  const passing = (rules: readonly Rule[]): readonly Rule[] =>
    rules.map(({ closedFrom, ...rule }) =>
      closedFrom === undefined ? rule : { ...rule, action: closedFrom },
    );
  const { ingress, egress } = policy.rules;
  return { ...policy, rules: { ingress: passing(ingress), egress: passing(egress) } };
}

/** The rules whose closing lifts the refusal; none: nothing does. */
export function rulesOf({ part, rules = [] }: Pick<Refusal, "part" | "rules">): readonly RulePart[] {
  return part.kind === "rule" ? [part] : rules;
}

function fieldsByIndex(
  parts: readonly RulePart[],
  direction: Direction,
): ReadonlyMap<number, ReadonlySet<Field>> {
  const own = parts.filter((part) => part.direction === direction);
  const byIndex = Map.groupBy(own, ({ index }) => index);
  return new Map(Array.from(byIndex, ([index, all]) => [index, new Set(all.map(({ field }) => field))]));
}

/** null: none of the rules of some index can be closed further, or there is none. */
function closedIn(
  rules: readonly Rule[],
  refused: ReadonlyMap<number, ReadonlySet<Field>>,
): readonly Rule[] | null {
  if (refused.size === 0) return rules;
  const further = new Set<number>();
  const closed = rules.map((rule) => {
    const fields = refused.get(rule.index);
    const next = fields === undefined ? rule : closedRule(rule, fields);
    if (next !== rule) further.add(rule.index);
    return next;
  });
  return further.size === refused.size ? closed : null;
}

/** The rule itself: nothing closes it further. */
function closedRule(rule: Rule, fields: ReadonlySet<Field>): Rule {
  const { translated, own, ...others } = rule;
  // What the rule as a whole is refused for may be removed with its action. If it is not, nothing is kept of what it matches.
  const isWhole = fields.has("rule") && denies(rule) && translated === undefined;
  const isWidened = (field: Field): boolean => isWhole || fields.has(field);
  const plain = isWhole || own === undefined ? others : { ...others, own };
  const next: Rule = {
    ...(fields.has("rule") ? plain : rule),
    action: closedAction(rule, fields),
    ...(isOnlyPass(rule, fields) && { closedFrom: "pass" }),
    subject: fields.has("subject") ? everyPod : rule.subject,
    peers: isWidened("peers") ? everyPeer : rule.peers,
    ports: isWidened("ports") ? null : rule.ports,
    logging: fields.has("logging") ? null : rule.logging,
  };
  return isSame(rule, next) ? rule : next;
}

/** A rule of which only the logging is refused allows what it did. */
function closedAction(rule: Rule, fields: ReadonlySet<Field>): Rule["action"] {
  if ([...fields].every((field) => field === "logging")) return rule.action;
  return denies(rule) && !fields.has("action") ? rule.action : "deny";
}

/** What the rule matches is kept, so that it can pass again as soon as there is a tier to pass to. */
function isOnlyPass({ action }: Rule, fields: ReadonlySet<Field>): boolean {
  return action === "pass" && [...fields].every((field) => field === "action");
}

function denies({ action }: Rule): boolean {
  return action === "deny" || action === "reject";
}

function isSame(rule: Rule, next: Rule): boolean {
  return (
    rule.action === next.action &&
    rule.translated === next.translated &&
    rule.own === next.own &&
    rule.subject === next.subject &&
    rule.peers === next.peers &&
    rule.ports === next.ports &&
    rule.logging === next.logging
  );
}
