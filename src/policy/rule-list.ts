// What steps between an edit and its rows ask of a whole list of rules. A list is looked through once and the answers are
// remembered with it: the IR never changes, and an edit leaves the list of the other direction the same object.

import type { Rule } from "./ir.ts";

export interface RuleListFacts {
  /** The highest index; 0 for an empty list, NaN when one is no number. */
  readonly last: number;
  /** Whether the rules are in the order of their indexes, each index once. */
  readonly isAscending: boolean;
  /** Whether a rule passes. */
  readonly passes: boolean;
  /** The first rule of each run of rules with one index. */
  readonly heads: readonly Rule[];
  /** Whether a rule has a peer that depends on the subject's own namespace. */
  readonly dependsOnSubject: boolean;
}

const known = new WeakMap<readonly Rule[], RuleListFacts>();

export function factsOf(rules: readonly Rule[]): RuleListFacts {
  const before = known.get(rules);
  if (before !== undefined) return before;
  const facts = found(rules);
  known.set(rules, facts);
  return facts;
}

function found(rules: readonly Rule[]): RuleListFacts {
  let [last, passes, dependsOnSubject, isAscending, before] = [0, false, false, true, -Infinity];
  const heads: Rule[] = [];
  for (const rule of rules) {
    const { index, action, peers } = rule;
    last = Math.max(last, index);
    if (index !== before) heads.push(rule);
    if (!(index > before)) isAscending = false;
    before = index;
    passes ||= action === "pass";
    if (!dependsOnSubject) for (const { kind } of peers) dependsOnSubject ||= kind === "sameNamespaces";
  }
  return { last, isAscending, passes, heads, dependsOnSubject };
}
