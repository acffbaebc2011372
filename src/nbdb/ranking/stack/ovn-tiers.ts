// The tiers of OVN that the stack has, and the ACL priorities in each (ovn-nb.ovsschema: tier 0..3, priority 0..32767). OVN tier 0
// holds OVN-Kubernetes' isolation of networks, and is left to it unless users say otherwise.

import type { StackLayout } from "../../../policy/contracts/tier-layout.ts";

/** ACL priorities of one ACL.tier from `top` down to `bottom`, both ends in it. */
export interface OvnTierLevels {
  /** ACL.tier. */
  readonly tier: number;
  readonly top: number;
  readonly bottom: number;
}

type OvnTiers = readonly [OvnTierLevels, ...OvnTierLevels[]];

/** Above the rows that OVN-Kubernetes has there, from 1100 down (docs/rows-places.md). */
const beforeIsolation: OvnTierLevels = { tier: 0, top: 32766, bottom: 1101 };
const first: OvnTierLevels = { tier: 1, top: 32766, bottom: 1 };
const second: OvnTierLevels = { tier: 2, top: 32766, bottom: 1 };
/**
 * Above the rows that OVN-Kubernetes has there: EgressFirewall from 10000 down, NetworkPolicies' allows at 1001, their isolation at
 * 1000.
 */
const aboveOthers: OvnTierLevels = { ...second, bottom: 10001 };
const third: OvnTierLevels = { tier: 3, top: 32766, bottom: 1 };

/** In the order of evaluation. */
export function ovnTiersOf(layout: StackLayout): OvnTiers {
  const others = [layout.around === null ? second : aboveOthers, third];
  return layout.beforeIsolation ? [beforeIsolation, first, ...others] : [first, ...others];
}

/** In the first of these tiers: nodes' ways to their own pods. They only allow, so that all of them share it. */
export const ownNodesPriority = 32767;

export function levelsIn({ top, bottom }: OvnTierLevels): number {
  return top - bottom + 1;
}

/** Whether of a place's number only the order means something, since it may depend on history. */
export function isStackPlace(
  { tier, priority }: { readonly tier: number; readonly priority: number },
  layout: StackLayout,
): boolean {
  return ovnTiersOf(layout).some((one) => one.tier === tier && one.bottom <= priority && priority <= one.top);
}
