// Rules and policies as people write them, for messages. User text is not made harmless here: whoever
// prints it does that.

import type { Direction, Policy, Rule } from "../policy/ir.ts";

/** `ingress[4] "default-deny"` */
export function ruleText(direction: Direction, { index, name }: Pick<Rule, "index" | "name">): string {
  return name === "" ? `${direction}[${index}]` : `${direction}[${index}] "${name}"`;
}

/** `AdminNetworkPolicy cluster-control` */
export function policyText({ ref: { kind, namespace, name } }: Pick<Policy, "ref">): string {
  return namespace === null ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** "1 pod", "7 pods" */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Of a policy that a rule is in: only another policy is named. */
export function ruleIn(own: Policy, policy: Policy, direction: Direction, rule: Rule | null): string {
  const text = rule === null ? `the isolation by ${policyText(policy)}` : ruleText(direction, rule);
  return policy === own || rule === null ? text : `${policyText(policy)} ${text}`;
}
