// All that a policy applies to: its own subject, and those of rules that have one of their own.

import type { Policy, Subject } from "./ir.ts";
import { directions } from "./ir.ts";

/** Its own first, then those of its rules. Where no rule has one it is the policy's own list: a page asks it of every policy. */
export function everySubject({ subject, rules }: Pick<Policy, "subject" | "rules">): Subject {
  const own: Subject[number][] = [];
  for (const direction of directions)
    for (const rule of rules[direction]) if (rule.subject !== null) own.push(...rule.subject);
  return own.length === 0 ? subject : [...subject, ...own];
}
