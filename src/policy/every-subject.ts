// All that a policy applies to: its own subject, and those of rules that have one of their own.

import type { Policy, Subject } from "./ir.ts";
import { directions } from "./ir.ts";

/** Its own first, then those of its rules. */
export function everySubject({ subject, rules }: Pick<Policy, "subject" | "rules">): Subject {
  const own = directions.flatMap((direction) => rules[direction].flatMap((rule) => rule.subject ?? []));
  return own.length === 0 ? subject : [...subject, ...own];
}
