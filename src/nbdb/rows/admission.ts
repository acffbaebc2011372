// Whether rows can express a policy: every value that the IR's types allow either has rows or is refused here, with the
// part of the policy that holds it. A value of a kind that this backend does not know is refused too, so that no part
// of a policy is silently left out. Pure; never throws.

import type { Refusal } from "../../policy/contracts/backend.ts";
import type { Direction, Policy, Rule } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { factsOf } from "../../policy/rule-list.ts";
import { actionFault, peerFault, portFault, unmatchedFault } from "../../policy/value-faults.ts";
import { isLabelValue } from "../../model/syntax.ts";

type RuleField = Extract<Refusal["part"], { kind: "rule" }>["field"];

/** Rules, and lists of them, without a fault. What an edit does not touch is the same object and needs no second look. */
const sayable: Readonly<Record<Direction, WeakSet<Rule | readonly Rule[]>>> = {
  ingress: new WeakSet(),
  egress: new WeakSet(),
};

export function unsayable(policy: Policy): readonly Refusal[] {
  const refusals = directions.flatMap((direction) => [
    ...refusalOf(unmatchedFault(policy.unmatched[direction]), { kind: "unmatched", direction }),
    ...ofRules(policy.rules[direction], direction),
  ]);
  return [...refusals, ...stateless(policy)];
}

function ofRules(rules: readonly Rule[], direction: Direction): readonly Refusal[] {
  const known = sayable[direction];
  if (known.has(rules)) return [];
  const refusals: Refusal[] = [];
  for (const rule of rules) if (!known.has(rule)) refusals.push(...ofRule(rule, direction));
  if (!factsOf(rules).isAscending) refusals.push(...repeated(rules, direction));
  if (refusals.length === 0) known.add(rules);
  return refusals;
}

function ofRule(rule: Rule, direction: Direction): readonly Refusal[] {
  const refusals: Refusal[] = [];
  const check = (field: RuleField, fault: string | null): void => {
    refusals.push(...refusalOf(fault, { kind: "rule", direction, index: rule.index, field }));
  };
  check("rule", isIndex(rule.index) ? null : `${rule.index} is no place in a list`);
  check("rule", translatedFault(rule, direction));
  check("action", actionFault(rule.action));
  for (const peer of rule.peers) check("peers", peerFault(peer, direction));
  for (const port of rule.ports ?? []) check("ports", portFault(port));
  check("logging", loggingFault(rule));
  if (refusals.length === 0) sayable[direction].add(rule);
  return refusals;
}

/** Two rules of one place would have rows of one name, and shares of one rule, which share an ACL priority, no order. */
function repeated(rules: readonly Rule[], direction: Direction): readonly Refusal[] {
  const places = new Set<string | number>();
  const actions = new Map<number, Rule["action"]>();
  return rules.flatMap(({ index, share, action }) => {
    const place = share === null ? index : JSON.stringify([index, share]);
    const isSecond = places.has(place);
    const first = actions.get(index) ?? action;
    places.add(place);
    actions.set(index, first);
    const fault = isSecond
      ? "another rule of the policy has the same place"
      : first === action
        ? null
        : "another share of the same rule has another action";
    return refusalOf(fault, { kind: "rule", direction, index, field: "rule" });
  });
}

/** Load balancing is on the way in from a pod alone: nothing says it any more on the way out to one. */
function translatedFault({ translated }: Rule, direction: Direction): string | null {
  if (translated !== true || direction === "egress") return null;
  return "where a connection arrives, it is no longer known that it passed a load balancer";
}

/** A load balancer's connections are tracked, and stateless rows are about those that are not. */
function stateless(policy: Policy): readonly Refusal[] {
  if (policy.stateless !== true) return [];
  return policy.rules.egress
    .filter(({ translated }) => translated === true)
    .flatMap(({ index }) =>
      refusalOf("a rule about a load balancer's connections cannot be stateless", {
        ...{ kind: "rule", direction: "egress", index, field: "rule" },
      }),
    );
}

function refusalOf(fault: string | null, part: Refusal["part"]): readonly Refusal[] {
  return fault === null ? [] : [{ code: "Unsupported", part, message: `OVN has no rows for it: ${fault}` }];
}

/** The label becomes part of a row's name. */
function loggingFault({ logging }: Rule): string | null {
  const label = logging?.label ?? null;
  return label === null || isLabelValue(label) ? null : "the log label is not a valid label value";
}

function isIndex(index: number): boolean {
  return Number.isInteger(index) && index >= 0;
}
