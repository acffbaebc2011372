// Rules and policies as people write them, for messages. User text is not made harmless here: whoever
// prints it does that.

import { refText, ruleText } from "../analysis/ref.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";

export { counted } from "../lib/counted.ts";

/** Of a policy that a rule is in: only another policy is named. */
export function ruleIn(own: Policy, policy: Policy, direction: Direction, rule: Rule | null): string {
  const text = rule === null ? `the isolation by ${refText(policy.ref)}` : ruleText(direction, rule);
  return policy === own || rule === null ? text : `${refText(policy.ref)} ${text}`;
}
