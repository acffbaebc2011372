// `tier` and `priority` → a place in the order of all policies. Both tiers are those that the kinds of v1alpha1 have, so
// the priority says which side of those kinds' own numbers a policy stands on: behind every AdminNetworkPolicy, and before
// the BaselineAdminNetworkPolicy (docs/decisions/0027).

import type { Field } from "../model/reader.ts";
import type { PolicyPlace } from "../kubernetes/tiered.ts";
import type { Tier } from "../policy/ir.ts";
import { tiers } from "../policy/ir.ts";

const highest = 1000;

interface ApiTier {
  readonly tier: Tier;
  /** Added to `spec.priority`, 0..1000. */
  readonly offset: number;
}

/** By the API's name. AdminNetworkPolicy has 0..1000 of its tier, BaselineAdminNetworkPolicy has 0 of its own. */
const apiTiers: ReadonlyMap<string, ApiTier> = new Map([
  ["Admin", { tier: tiers.admin, offset: highest + 1 }],
  ["Baseline", { tier: tiers.baseline, offset: -highest - 1 }],
]);

export function readPlace(spec: Field): PolicyPlace | null {
  const at = readTier(spec.at("tier"));
  const priority = spec.at("priority").integer(0, highest);
  return at === null || priority === null ? null : { tier: at.tier, priority: at.offset + priority };
}

function readTier(field: Field): ApiTier | null {
  const text = field.string();
  if (text === null) return null;
  const words = [...apiTiers.keys()].join(", ");
  return apiTiers.get(text) ?? field.error(`must be one of ${words}, not ${field.quoted}`);
}
