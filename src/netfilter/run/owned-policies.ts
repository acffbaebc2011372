// Whose rules a node has, by the comments of the rules.

import type { PolicyKey } from "../../policy/ir.ts";
import { ownerOfRule } from "../comment.ts";
import type { ActualChains } from "../live/actual.ts";
import { RuleOwners } from "../live/rule-owners.ts";

export interface OwnedRules {
  readonly rules: ReadonlyMap<PolicyKey, number>;
  /** Of no policy, or of one whose name is too long for a comment. */
  readonly others: number;
}

export function ownedRules(chains: readonly ActualChains[]): OwnedRules {
  const owners = new RuleOwners([]);
  const rules = new Map<PolicyKey, number>();
  let others = 0;
  for (const rule of chains.flatMap((one) => [...one.values()]).flat()) {
    const owner = ownerOfRule(rule);
    const [key] = owner === null ? [] : owners.of(owner);
    if (key === undefined) others++;
    else rules.set(key, (rules.get(key) ?? 0) + 1);
  }
  return { rules, others };
}
