// Which evaluation tiers share an OVN tier now, and which of them have a policy that passes. OVN's `pass` goes to the
// next OVN tier (ovn-nb(5) ACL.action), so of several tiers in one OVN tier only the last may pass.

import { invariant } from "../../lib/invariant.ts";
import { CountedSet } from "../../lib/counted-set.ts";
import type { Policy, PolicyKey } from "../../policy/ir.ts";
import { factsOf } from "../../policy/rule-list.ts";
import { aclTierOf } from "./layout.ts";

interface Use {
  readonly order: number;
  readonly passes: boolean;
}

export class TierUse {
  /** Orders of the tiers in use, each counted once for each policy. */
  readonly #used = new CountedSet<number>();
  readonly #passing = new CountedSet<number>();
  readonly #uses = new Map<PolicyKey, Use>();

  /** Adds the policy, or replaces its earlier version. */
  add(policy: Policy): void {
    const before = this.#uses.get(policy.key);
    if (before !== undefined && isUse(policy, before)) return;
    if (before !== undefined) this.#count(before, "remove");
    const use = { order: policy.tier.order, passes: passes(policy) };
    this.#uses.set(policy.key, use);
    this.#count(use, "add");
  }

  remove(key: PolicyKey): void {
    const use = this.#uses.get(key);
    invariant(use !== undefined, `a policy that uses no tier is removed: ${key}`);
    this.#uses.delete(key);
    this.#count(use, "remove");
  }

  /** Why the policy cannot be added, or replace its earlier version; null: it can. */
  conflict(policy: Policy): string | null {
    const before = this.#uses.get(policy.key) ?? null;
    // Whoever came since has no conflict with it.
    if (before !== null && isUse(policy, before)) return null;
    if (before !== null) this.#count(before, "remove");
    const conflict = this.#conflictWithOthers(policy);
    if (before !== null) this.#count(before, "add");
    return conflict;
  }

  #count({ order, passes }: Use, step: "add" | "remove"): void {
    this.#used[step](order);
    if (passes) this.#passing[step](order);
  }

  #conflictWithOthers(policy: Policy): string | null {
    const { tier } = policy;
    const shares = (order: number): boolean =>
      aclTierOf({ name: "", order }) === aclTierOf(tier) && order !== tier.order;
    if (passes(policy) && [...this.#used.keys()].some((order) => shares(order) && order > tier.order))
      return "its pass would skip a tier behind it";
    if ([...this.#passing.keys()].some((order) => shares(order) && order < tier.order))
      return "a pass of a tier before it would skip it";
    return null;
  }
}

function isUse(policy: Policy, use: Use): boolean {
  return policy.tier.order === use.order && passes(policy) === use.passes;
}

function passes({ rules }: Policy): boolean {
  return factsOf(rules.ingress).passes || factsOf(rules.egress).passes;
}
