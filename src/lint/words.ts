// Rules and policies as people write them, for messages. User text is not made harmless here: whoever
// prints it does that.

import { refText, ruleText } from "../analysis/ref.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";

/** "1 pod", "7 pods" */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Of a policy that a rule is in: only another policy is named. */
export function ruleIn(own: Policy, policy: Policy, direction: Direction, rule: Rule | null): string {
  const text = rule === null ? `the isolation by ${refText(policy.ref)}` : ruleText(direction, rule);
  return policy === own || rule === null ? text : `${refText(policy.ref)} ${text}`;
}
