// The tiers of OVN that the stack has, and the ACL priorities in each (ovn-nb.ovsschema: tier 0..3, priority 0..32767). OVN tier 0
// holds OVN-Kubernetes' isolation of networks, and is left to it.

/** ACL priorities of one ACL.tier from `top` down to `bottom`, both ends in it. */
export interface OvnTierLevels {
  /** ACL.tier. */
  readonly tier: number;
  readonly top: number;
  readonly bottom: number;
}

/** In the order of evaluation. */
export const stackTiers: readonly [OvnTierLevels, ...OvnTierLevels[]] = [
  { tier: 1, top: 32766, bottom: 1 },
  { tier: 2, top: 32766, bottom: 1 },
  { tier: 3, top: 32766, bottom: 1 },
];

/**
 * Around the rows that OVN-Kubernetes has in OVN tier 2 (docs/rows-places.md): EgressFirewall from 10000 down, NetworkPolicies' allows
 * at 1001, their isolation at 1000.
 */
export const tiersAround: readonly [OvnTierLevels, ...OvnTierLevels[]] = [
  { tier: 1, top: 32766, bottom: 1 },
  { tier: 2, top: 32766, bottom: 10001 },
  { tier: 3, top: 32766, bottom: 1 },
];

/** In the first of these tiers: nodes' ways to their own pods. They only allow, so that all of them share it. */
export const ownNodesPriority = 32767;

export function levelsIn({ top, bottom }: OvnTierLevels): number {
  return top - bottom + 1;
}

/** Whether of a place's number only the order means something, since it may depend on history. */
export function isStackPlace(
  { tier, priority }: { readonly tier: number; readonly priority: number },
  ovnTiers: readonly OvnTierLevels[] = stackTiers,
): boolean {
  return ovnTiers.some((one) => one.tier === tier && one.bottom <= priority && priority <= one.top);
}
