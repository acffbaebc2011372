// Which parts of a policy say what the same parts of an earlier one said: those become the earlier one's JavaScript
// objects, so that nobody has to look into them again. Nothing is decided here but that: the result is equal to the policy
// that was given. Rules are compared with the rule in the same place; one that moved is another rule.

import { sameJson } from "../model/json.ts";
import type { Direction, Policy, Rule } from "./ir.ts";

/** `policy`, with the equal parts of `earlier`: the subject, each rule, and an edited rule's subject and peers. */
export function reusing(policy: Policy, earlier: Policy | null): Policy {
  if (earlier === null) return policy;
  const rules = (direction: Direction): readonly Rule[] =>
    policy.rules[direction].map((rule, place) => reusedRule(rule, earlier.rules[direction][place]));
  return {
    ...policy,
    subject: reused(policy.subject, earlier.subject),
    rules: { ingress: rules("ingress"), egress: rules("egress") },
  };
}

function reusedRule(rule: Rule, earlier: Rule | undefined): Rule {
  if (earlier === undefined) return rule;
  if (isSame(rule, earlier)) return earlier;
  return {
    ...rule,
    subject: reused(rule.subject, earlier.subject),
    peers: reused(rule.peers, earlier.peers),
  };
}

function reused<T>(part: T, earlier: T): T {
  return isSame(part, earlier) ? earlier : part;
}

/** The IR is plain JSON, so that a property which is added to it later is compared too. A selector's text says all of it. */
function isSame(part: unknown, earlier: unknown): boolean {
  return sameJson(part, earlier, "text");
}
