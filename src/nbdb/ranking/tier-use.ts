// Which evaluation tiers share an OVN tier now, and which of them have a policy that passes. OVN's `pass` goes to the
// next OVN tier (ovn-nb(5) ACL.action), so of several tiers in one OVN tier only the last may pass.

import { CountedSet } from "../../lib/counted-set.ts";
import type { Policy } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { ovnTierOf } from "./layout.ts";

export class TierUse {
  /** Orders of the tiers in use, each counted once for each policy. */
  readonly #used = new CountedSet<number>();
  readonly #passing = new CountedSet<number>();

  add(policy: Policy): void {
    this.#used.add(policy.tier.order);
    if (passes(policy)) this.#passing.add(policy.tier.order);
  }

  remove(policy: Policy): void {
    this.#used.remove(policy.tier.order);
    if (passes(policy)) this.#passing.remove(policy.tier.order);
  }

  /** Why the policy cannot be added; null: it can. */
  conflict(policy: Policy): string | null {
    const { tier } = policy;
    const shares = (order: number): boolean =>
      ovnTierOf({ name: "", order }) === ovnTierOf(tier) && order !== tier.order;
    if (passes(policy) && [...this.#used.keys()].some((order) => shares(order) && order > tier.order))
      return "its pass would skip a tier behind it";
    if ([...this.#passing.keys()].some((order) => shares(order) && order < tier.order))
      return "a pass of a tier before it would skip it";
    return null;
  }
}

function passes({ rules }: Policy): boolean {
  return directions.some((direction) => rules[direction].some(({ action }) => action === "pass"));
}
