// Finds the parts of a policy that equal the same parts of an earlier one, and replaces them with the earlier
// JavaScript objects, so that later steps need not compare them again. The result is equal to the given policy. A rule
// is compared with the rule in the same place; a rule that moved counts as another rule.

import { isReused } from "../lib/identity.ts";
import { sameSequence } from "../lib/sequence.ts";
import { sameJson } from "../model/objects/json.ts";
import type { Direction, Policy, Rule } from "./ir.ts";

/** `policy`, with the equal parts of `earlier`: the subject, the logging, the marks, each rule, all rules of a direction, and the
 * subject, peers and own addresses of an edited rule. */
export function reusing(policy: Policy, earlier: Policy | null): Policy {
  if (earlier === null) return policy;
  const rules = (direction: Direction): readonly Rule[] => {
    const old = earlier.rules[direction];
    if (isReused(old, policy.rules[direction])) return old;
    const reused = policy.rules[direction].map((rule, place) => reusedRule(rule, old[place]));
    return sameSequence(reused, old) ? old : reused;
  };
  return {
    ...policy,
    subject: reused(policy.subject, earlier.subject),
    logging: reused(policy.logging, earlier.logging),
    ...(policy.marks && { marks: reused(policy.marks, earlier.marks) }),
    rules: { ingress: rules("ingress"), egress: rules("egress") },
  };
}

function reusedRule(rule: Rule, earlier: Rule | undefined): Rule {
  if (earlier === undefined) return rule;
  if (isSame(rule, earlier)) return earlier;
  return {
    ...rule,
    subject: reused(rule.subject, earlier.subject),
    ...(rule.own === undefined ? {} : { own: reused(rule.own, earlier.own) }),
    peers: reused(rule.peers, earlier.peers),
  };
}

function reused<T>(part: T, earlier: T | undefined): T {
  return earlier !== undefined && isSame(part, earlier) ? earlier : part;
}

/**
 * The IR is plain JSON, so a property that is added later is compared too. A selector's text identifies it completely.
 */
function isSame(part: unknown, earlier: unknown): boolean {
  return sameJson(part, earlier, "text");
}
