// The only place that assigns ACL tiers and priorities: which evaluation tier has which part of OVN's 4 x 32,768 places
// (ovn-nb.ovsschema: tier 0..3, priority 0..32767). Places of the documented rows (ANP 0..99, BANP, NetworkPolicy)
// never move. A tier that no present dialect uses is placed before the next of the three that every cluster has; before the
// first, it has OVN tier 0.

import type { Policy, Tier } from "../../policy/ir.ts";
import { tiers } from "../../policy/ir.ts";
import type { TierKey } from "../../policy/order.ts";
import { compareTiers, isSameTier, tierKey } from "../../policy/order.ts";
import { firstPriority } from "../../policy/own-node.ts";
import type { TierPlaces } from "./places.ts";
import type { OvnTier, Segment } from "./segment.ts";

/** Which priorities of the admin tier's first kind have places: 0..99 as documented, or all that its API stores. */
export const anpPriorities = ["documented", "all"] as const;
export type AnpPriorities = (typeof anpPriorities)[number];

type Holds = Segment["holds"];

const isBefore =
  (tier: Tier): Holds =>
  (policy) =>
    compareTiers(policy.tier, tier) < 0;
/** Of the tier, with a priority from `from` on and below `below`; null: with any from there on, an infinite one too. */
const isOf = (tier: Tier, from: number, below: number | null): Holds => {
  return (policy) =>
    isSameTier(policy.tier, tier) && policy.priority >= from && (below === null || policy.priority < below);
};
const either = (...some: readonly Holds[]): Holds => {
  return (policy) => some.some((holds) => holds(policy));
};

/** What a dialect may give a policy of a tier that is not among the three, or of a number that no installed kind has. */
const anyPriority = [-1000, 5000] as const;

/** OVN-Kubernetes has rows of its own in tier 0, at 1001 and below. */
const beforeAdmin: OvnTier = {
  tier: 0,
  segments: [
    {
      ...{ scheme: "ranked", name: "before the admin tier", top: 32767, bottom: 1002 },
      ...{ expected: anyPriority, holds: () => true },
    },
  ],
};

/** Nodes' ways to their own pods: they only allow, so that all of them share the level. */
const ownNodes: Segment = {
  ...{ scheme: "packed", name: "own nodes", top: 32767, bottom: 32767 },
  holds: isOf(tiers.admin, -Infinity, firstPriority + 1),
};
const beforeAnp: Segment = {
  ...{ scheme: "ranked", name: "before ANP", top: 32766, bottom: 30001 },
  // Unless a kind says more.
  expected: [firstPriority, -1],
  holds: isOf(tiers.admin, firstPriority + 1, 0),
};
const anp: Segment = {
  ...{ scheme: "documented", name: "ANP", top: 30000, bottom: 20001, step: 100, first: 0 },
  holds: isOf(tiers.admin, 0, 100),
};
const aboveAnp: Segment = {
  ...{ scheme: "closed", name: "ANP above 99", why: "OVN has ACL priorities only for 0-99" },
  holds: isOf(tiers.admin, 100, 1001),
};
/** ClusterNetworkPolicy of tier Admin has 1001 to 2001; the ANPs that have places here precede it. */
const behindAnp = (first: number): Segment => ({
  ...{ scheme: "ranked", name: "behind ANP", top: 20000, bottom: 1, expected: [first, 2001] },
  holds: () => true,
});

const admin: Readonly<Record<AnpPriorities, OvnTier>> = {
  documented: { tier: 1, segments: [ownNodes, beforeAnp, anp, aboveAnp, behindAnp(1001)] },
  all: { tier: 1, segments: [ownNodes, beforeAnp, anp, behindAnp(100)] },
};

const namespaced: OvnTier = {
  tier: 2,
  segments: [{ scheme: "packed", name: "NetworkPolicy", top: 32767, bottom: 1001, holds: () => true }],
};

/** Before BANP are, at the very front, priorities below -1001, and then ClusterNetworkPolicy's tier Baseline. */
const baseline: OvnTier = {
  tier: 3,
  segments: [
    {
      ...{ scheme: "ranked", name: "before BANP", top: 32767, bottom: 1751, expected: [-1001, -1] },
      holds: either(isBefore(tiers.baseline), isOf(tiers.baseline, -Infinity, 0)),
    },
    {
      ...{ scheme: "documented", name: "BANP", top: 1750, bottom: 1651, step: 100, first: 0 },
      holds: isOf(tiers.baseline, 0, 1),
    },
    {
      ...{ scheme: "ranked", name: "behind BANP", top: 1650, bottom: 801, expected: [1, 1000] },
      holds: isOf(tiers.baseline, 1, null),
    },
    {
      ...{ scheme: "ranked", name: "behind the baseline tier", top: 799, bottom: 1 },
      ...{ expected: anyPriority, holds: () => true },
    },
  ],
};

/** The places of the three tiers' default denies: behind every rule of the tier, before every tier that follows. */
const ends: ReadonlyMap<TierKey, number> = new Map([
  [tierKey(tiers.admin), 0],
  [tierKey(tiers.namespaced), 1000],
  [tierKey(tiers.baseline), 800],
]);

export function ovnTierOf(tier: Tier, anps: AnpPriorities): OvnTier {
  if (compareTiers(tier, tiers.admin) < 0) return beforeAdmin;
  if (isSameTier(tier, tiers.admin)) return admin[anps];
  return compareTiers(tier, tiers.namespaced) <= 0 ? namespaced : baseline;
}

export function segmentOf(policy: Pick<Policy, "tier" | "priority">, anps: AnpPriorities): Segment {
  const { segments } = ovnTierOf(policy.tier, anps);
  const segment = segments.find(({ holds }) => holds(policy));
  if (segment === undefined) throw new Error(`invariant broken: no segment for tier ${policy.tier.name}`);
  return segment;
}

/** Whether of a place's number only the order means something, since it may depend on history. */
export function isRankedPlace(
  { tier, priority }: { readonly tier: number; readonly priority: number },
  anps: AnpPriorities,
): boolean {
  const found = [beforeAdmin, admin[anps], namespaced, baseline].find((one) => one.tier === tier);
  return (found?.segments ?? []).some(
    (segment) => segment.scheme === "ranked" && segment.bottom <= priority && priority <= segment.top,
  );
}

/** ACL.tier of an evaluation tier. */
export function aclTierOf(tier: Tier): number {
  return ovnTierOf(tier, "documented").tier;
}

/** The ACL priority of a tier's default denies; null: the tier's own place in its segment. */
export function endOf(tier: Tier): number | null {
  return ends.get(tierKey(tier)) ?? null;
}

export const threeTiers: TierPlaces = { aclTierOf, endOf };
