// The one home of ACL tiers and priorities. Each tier's band: where it starts, how far apart two policies of
// neighbouring priorities are, and how many policies and rules fit. OVN: priority 0..32767, tier 0..3 (ovn-nb.ovsschema).

import { invariant } from "../../lib/invariant.ts";
import type { PolicyHead, Tier } from "../../policy/ir.ts";

interface Band {
  /** ACL.tier. */
  readonly tier: number;
  /** ACL priority of rule 0 of priority 0. */
  readonly start: number;
  /** ACL priorities that one policy priority takes: the number of rules that fit. */
  readonly step: number;
  /** The highest policy priority. */
  readonly last: number;
}

const layout: Readonly<Partial<Record<Tier["name"], Band>>> = {
  admin: { tier: 1, start: 30000, step: 100, last: 99 },
  baseline: { tier: 3, start: 1750, step: 100, last: 0 },
};

export function aclPlace(
  policy: PolicyHead,
  ruleIndex: number,
): { readonly tier: number; readonly priority: number } {
  const band = layout[policy.tier.name];
  invariant(band !== undefined, `no ACL band for tier ${policy.tier.name}`);
  invariant(policy.priority <= band.last && ruleIndex < band.step, "a rule lies outside its ACL band");
  return { tier: band.tier, priority: band.start - policy.priority * band.step - ruleIndex };
}
