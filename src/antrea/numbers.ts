// One number for a tier's priority and a policy's own: Antrea's tiers 0 to 250 are numbers below 0 of one tier of the IR.

import type { ExpectedPriorities } from "../policy/contracts/dialect.ts";
import { tiers } from "../policy/ir.ts";

/** A policy's own priority. Fractions are allowed. */
export const lowest = 10_000;
/** What a tier's priority counts, so that every policy of a tier precedes those of the next. */
export const step = lowest + 1;
export const lastTier = 250;

export function numberOf(tier: number, own: number): number {
  return (tier - lastTier - 1) * step + own;
}

/** Most policies are of the tiers that every cluster has, the last of which is the default, and most of a tier's are below 100. */
export const expected: ExpectedPriorities = {
  tier: tiers.admin,
  priorities: [
    numberOf(0, 1),
    numberOf(49, lowest),
    ...[50, 100, 150, 200].flatMap((tier) => [1, 100, lowest].map((own) => numberOf(tier, own))),
    ...[1, 10, 50, 100, lowest].map((own) => numberOf(lastTier, own)),
  ],
};
