// What keeps the order of ranked policies where a batch must be written in parts. Existing rows get the places that
// their policies have now, and nothing else of them changes. Rows of policies that go have no place any more: where others
// take their places, both change in one transaction. Pure.

import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { Actual } from "../actual/actual.ts";
import { actionOf, indexIn } from "../actual/existing-places.ts";
import type { Desired, Span } from "../desired/desired.ts";
import { keys } from "../rows/names.ts";
import { northboundOperations } from "../rows/schema.ts";
import type { UnitKey } from "../rows/unit.ts";
import { policyOfUnit } from "../rows/unit.ts";

interface Parts {
  readonly desired: Pick<Desired, "get" | "rankedPlace" | "rankedSpan" | "users">;
  readonly actual: Pick<Actual, "aclsOf">;
}

export function planMoves(unit: UnitKey, { desired, actual }: Parts): readonly Operation[] {
  const policy = policyOfUnit(unit);
  if (policy === null) return [];
  return actual.aclsOf(unit).flatMap(({ uuid, row }) => {
    const index = indexIn(row.external_ids);
    const place = index === null ? null : desired.rankedPlace(policy, index, actionOf(row.action));
    if (place === null || (row.tier === place.tier && row.priority === place.priority)) return [];
    return [northboundOperations.update("ACL", uuid, { tier: place.tier, priority: place.priority })];
  });
}

/** Units of policies that go, and those that take their places, with the shared units that these need. */
export interface Exchange {
  readonly gone: readonly UnitKey[];
  readonly taking: readonly UnitKey[];
}

/** Of the units that are to be written: those that must change together. */
export function exchangeAmong(units: readonly UnitKey[], { desired, actual }: Parts): Exchange {
  const leaving = units.flatMap((unit) => {
    const isGone = policyOfUnit(unit) !== null && desired.get(unit) === null;
    const spans = isGone ? spansOf(unit, actual) : [];
    return spans.length === 0 ? [] : [{ unit, spans }];
  });
  const gone = new Set<UnitKey>();
  const needed = new Set<UnitKey>();
  for (const policy of leaving.length === 0 ? [] : units.flatMap((unit) => policyOfUnit(unit) ?? [])) {
    const place = desired.rankedSpan(policy);
    const met = place === null ? [] : leaving.filter(({ spans }) => spans.some((one) => meet(one, place)));
    for (const { unit } of met) gone.add(unit);
    if (met.length > 0) for (const unit of desired.users.unitsOf(policy)) needed.add(unit);
  }
  return { gone: [...gone], taking: units.filter((unit) => needed.has(unit)) };
}

/** The places of the unit's rules, one span for each tier of OVN. */
function spansOf(unit: UnitKey, actual: Parts["actual"]): readonly Span[] {
  const spans = new Map<number, Span>();
  for (const { row } of actual.aclsOf(unit)) {
    const { tier, priority, external_ids } = row;
    // Default denies are behind the rules of every policy of their tier.
    if (external_ids.get(keys.index) === "default") continue;
    const { first, last } = spans.get(tier) ?? { first: priority, last: priority };
    spans.set(tier, { tier, first: Math.max(first, priority), last: Math.min(last, priority) });
  }
  return [...spans.values()];
}

function meet(one: Span, other: Span): boolean {
  return one.tier === other.tier && one.first >= other.last && other.first >= one.last;
}
