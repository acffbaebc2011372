// The only place that assigns ACL tiers and priorities: which evaluation tier has which part of OVN's 4 x 32,768 places
// (ovn-nb.ovsschema: tier 0..3, priority 0..32767). Places of the documented rows (ANP 0..99, BANP, NetworkPolicy)
// never move. A tier that no present dialect uses goes before the next of the three that every cluster has; before the
// first, it has OVN tier 0.

import type { Policy, Tier } from "../../policy/ir.ts";
import { tiers } from "../../policy/ir.ts";
import type { OvnTier, Segment } from "./segment.ts";

type Holds = Segment["holds"];

const isBefore =
  (tier: Tier): Holds =>
  (policy) =>
    policy.tier.order < tier.order;
/** Of the tier, with a priority from `from` on and below `below`. */
const isOf = (tier: Tier, from: number, below: number): Holds => {
  return (policy) => policy.tier.order === tier.order && policy.priority >= from && policy.priority < below;
};
const either = (...some: readonly Holds[]): Holds => {
  return (policy) => some.some((holds) => holds(policy));
};

const ranked = { scheme: "ranked", align: "top", sharesAllows: false } as const;

/** OVN-Kubernetes has rows of its own in tier 0, at 1001 and below. */
const beforeAdmin: OvnTier = {
  tier: 0,
  segments: [{ ...ranked, name: "before the admin tier", top: 32767, bottom: 1002, holds: () => true }],
};

const admin: OvnTier = {
  tier: 1,
  segments: [
    { ...ranked, name: "before ANP", top: 32766, bottom: 30001, holds: isOf(tiers.admin, -Infinity, 0) },
    {
      ...{ scheme: "documented", name: "ANP", top: 30000, bottom: 20001, step: 100, first: 0 },
      holds: isOf(tiers.admin, 0, 100),
    },
    {
      ...{ scheme: "closed", name: "ANP above 99", why: "OVN has ACL priorities only for 0-99" },
      holds: isOf(tiers.admin, 100, 1001),
    },
    { ...ranked, name: "behind ANP", top: 20000, bottom: 1, holds: () => true },
  ],
};

const namespaced: OvnTier = {
  tier: 2,
  segments: [
    {
      ...{ scheme: "ranked", name: "NetworkPolicy", top: 32767, bottom: 1001 },
      ...{ align: "bottom", sharesAllows: true, holds: () => true },
    },
  ],
};

const baseline: OvnTier = {
  tier: 3,
  segments: [
    {
      ...{ ...ranked, name: "before BANP", top: 32767, bottom: 1751 },
      holds: either(isBefore(tiers.baseline), isOf(tiers.baseline, -Infinity, 0)),
    },
    {
      ...{ scheme: "documented", name: "BANP", top: 1750, bottom: 1651, step: 100, first: 0 },
      holds: isOf(tiers.baseline, 0, 1),
    },
    { ...ranked, name: "behind BANP", top: 1650, bottom: 801, holds: isOf(tiers.baseline, 1, Infinity) },
    { ...ranked, name: "behind the baseline tier", top: 799, bottom: 1, holds: () => true },
  ],
};

/** The places of the three tiers' default denies: behind every rule of the tier, before every tier that follows. */
const ends: ReadonlyMap<number, number> = new Map([
  [tiers.admin.order, 0],
  [tiers.namespaced.order, 1000],
  [tiers.baseline.order, 800],
]);

export function ovnTierOf({ order }: Tier): OvnTier {
  if (order < tiers.admin.order) return beforeAdmin;
  if (order === tiers.admin.order) return admin;
  return order <= tiers.namespaced.order ? namespaced : baseline;
}

export function segmentOf(policy: Pick<Policy, "tier" | "priority">): Segment {
  const { segments } = ovnTierOf(policy.tier);
  const segment = segments.find(({ holds }) => holds(policy));
  if (segment === undefined) throw new Error(`invariant broken: no segment for tier ${policy.tier.name}`);
  return segment;
}

/** The ACL priority of a tier's default denies; null: the tier's own place in its segment. */
export function endOf({ order }: Tier): number | null {
  return ends.get(order) ?? null;
}
