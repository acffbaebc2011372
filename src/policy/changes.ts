// What differs between two versions of a policy. Parts that did not change are the same objects in both (reuse.ts), so that
// only what did is looked into.

import { isReused } from "../lib/identity.ts";
import type { Differing } from "../lib/sequence.ts";
import { differing } from "../lib/sequence.ts";
import type { Direction, Group, Policy, Rule } from "./ir.ts";
import { directions, everyPod, ruleKey } from "./ir.ts";
import { leadsAnywhere } from "./peers.ts";
import { endsOf, groupsOf, peerTerms } from "./normal-form.ts";

/** Rules of one key in two versions of a policy; null: the version has none. */
export interface RuleChange {
  readonly before: Rule | null;
  readonly after: Rule | null;
}

/** The rules that are not the same object in both lists. */
export function ruleChanges(before: readonly Rule[], after: readonly Rule[]): readonly RuleChange[] {
  if (isReused(before, after)) return [];
  const { removed, added } = differing(before, after);
  if (removed.length === 0) return added.map((rule) => ({ before: null, after: rule }));
  const old = new Map(removed.map((rule) => [ruleKey(rule), rule]));
  const changes = added.map((rule): RuleChange => {
    const key = ruleKey(rule);
    const was = old.get(key) ?? null;
    old.delete(key);
    return { before: was, after: rule };
  });
  for (const rule of old.values()) changes.push({ before: rule, after: null });
  return changes;
}

/**
 * The groups that one version of a policy needs beyond the other; null: there is none, it needs no group. A group may occur
 * more than once, and on both sides. Parts that both share as the same objects, the subject or the rule of the same key, are
 * skipped.
 */
export function groupChanges(before: Policy | null, after: Policy | null): Differing<Group> {
  const [removed, added]: [Group[], Group[]] = [[], []];
  if (!isReused(before?.subject, after?.subject)) {
    removed.push(...(before?.subject ?? []));
    added.push(...(after?.subject ?? []));
  }
  for (const direction of directions) {
    const [old, now] = [before?.rules[direction] ?? [], after?.rules[direction] ?? []];
    for (const { before: was, after: is } of ruleChanges(old, now)) {
      removed.push(...groupsBeyond(was, is, direction));
      added.push(...groupsBeyond(is, was, direction));
    }
  }
  return { removed, added };
}

/** The groups of a rule, but for those of a part that the other rule has as the same object. */
function groupsBeyond(rule: Rule | null, other: Rule | null, direction: Direction): readonly Group[] {
  if (rule === null) return [];
  const subject = rule.subject === null || isReused(other?.subject, rule.subject) ? [] : rule.subject;
  const isKept = isReused(other?.peers, rule.peers);
  const isLed = isKept && other !== null && leadsAnywhere(other, direction);
  const anywhere = leadsAnywhere(rule, direction) && !isLed ? everyPod : [];
  return [...subject, ...anywhere, ...(isKept ? [] : peerTerms(rule).flatMap(endsOf).flatMap(groupsOf))];
}
