// Which evaluation tiers share an OVN tier now, and which of them have a policy that passes. OVN's `pass` goes to the
// next OVN tier (ovn-nb(5) ACL.action), so of several tiers in one OVN tier only the last may pass.

import { invariant } from "../../lib/invariant.ts";
import { CountedSet } from "../../lib/counted-set.ts";
import type { RulePart } from "../../policy/contracts/backend.ts";
import type { Policy, PolicyKey, Tier } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import type { TierKey } from "../../policy/order.ts";
import { compareTiers, isSameTier, tierKey } from "../../policy/order.ts";
import { factsOf } from "../../policy/rule-list.ts";
import { aclTierOf } from "./layout.ts";

interface Use {
  readonly tier: Tier;
  readonly passes: boolean;
}

export interface TierConflict {
  /** A sentence without its beginning. */
  readonly text: string;
  /** The policy's rules without which there would be no conflict; none: it is another policy's. */
  readonly passes: readonly RulePart[];
}

export class TierUse {
  /** The tiers in use, each counted once for each policy. */
  readonly #used = new CountedSet<TierKey>();
  readonly #passing = new CountedSet<TierKey>();
  readonly #tiers = new Map<TierKey, Tier>();
  readonly #uses = new Map<PolicyKey, Use>();

  /** Adds the policy, or replaces its earlier version. */
  add(policy: Policy): void {
    const before = this.#uses.get(policy.key);
    if (before !== undefined && isUse(policy, before)) return;
    if (before !== undefined) this.#count(before, "remove");
    const use = { tier: policy.tier, passes: passes(policy) };
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
  conflict(policy: Policy): TierConflict | null {
    const before = this.#uses.get(policy.key) ?? null;
    // A policy that was added since has no conflict with it.
    if (before !== null && isUse(policy, before)) return null;
    if (before !== null) this.#count(before, "remove");
    const conflict = this.#conflictWithOthers(policy);
    if (before !== null) this.#count(before, "add");
    return conflict;
  }

  #count({ tier, passes }: Use, step: "add" | "remove"): void {
    const key = tierKey(tier);
    this.#used[step](key);
    if (passes) this.#passing[step](key);
    if (this.#used.has(key)) this.#tiers.set(key, tier);
    else this.#tiers.delete(key);
  }

  #conflictWithOthers(policy: Policy): TierConflict | null {
    const { tier } = policy;
    const sharing = [...this.#tiers].filter(([, other]) => aclTierOf(other) === aclTierOf(tier));
    if (passes(policy) && sharing.some(([, other]) => compareTiers(other, tier) > 0))
      return { text: "its pass would skip a tier behind it", passes: passingRules(policy) };
    if (sharing.some(([key, other]) => this.#passing.has(key) && compareTiers(other, tier) < 0))
      return { text: "a pass of a tier before it would skip it", passes: [] };
    return null;
  }
}

/** The policy's own rules that pass, each once. */
function passingRules({ rules }: Policy): readonly RulePart[] {
  return directions.flatMap((direction) => {
    const passing = new Set(
      rules[direction].filter(({ action }) => action === "pass").map(({ index }) => index),
    );
    return Array.from(passing, (index): RulePart => ({ kind: "rule", direction, index, field: "action" }));
  });
}

function isUse(policy: Policy, use: Use): boolean {
  return isSameTier(policy.tier, use.tier) && passes(policy) === use.passes;
}

function passes({ rules }: Policy): boolean {
  return factsOf(rules.ingress).passes || factsOf(rules.egress).passes;
}
