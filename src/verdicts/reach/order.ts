// The policies in the order of evaluation, and every rule of a direction with its number in that order. Policies of equal
// priority, whose order the API leaves open, are in the order of their keys; the rules of those that take turns are in the
// order of these. Expects policies as dialects compile them.

import type { Direction, Policy, Rule } from "../../policy/ir.ts";
import { byTier, inOrder, rulesInOrder } from "../../policy/order.ts";

export interface OrderedRule {
  /** Among all rules of the direction, from 0. */
  readonly number: number;
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: Rule;
}

export interface Order {
  readonly policies: readonly Policy[];
  readonly entries: Readonly<Record<Direction, readonly OrderedRule[]>>;
}

export function orderOf(policies: readonly Policy[]): Order {
  const sorted = inOrder(policies.toSorted(byKey), (policy) => policy);
  const numbered = (direction: Direction): readonly OrderedRule[] =>
    byTier(sorted)
      .flatMap(([, tier]) => rulesInOrder(tier, direction))
      .map(({ policy, rule }, number) => ({ number, policy, direction, rule }));
  return { policies: sorted, entries: { ingress: numbered("ingress"), egress: numbered("egress") } };
}

function byKey(a: Policy, b: Policy): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
