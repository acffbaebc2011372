// The operations that give the ACLs that stand of a policy the places that they have now, and change nothing else of
// them. For when a policy's rows cannot be written as desired and others have moved: the order of the policies holds.

import type { Operation } from "../../ovsdb/operation.ts";
import type { Actual } from "../actual/actual.ts";
import type { Desired } from "../desired/desired.ts";
import { keys } from "../rows/names.ts";
import { northboundOperations } from "../rows/schema.ts";
import type { UnitKey } from "../rows/unit.ts";
import { policyOfUnit } from "../rows/unit.ts";

export function planMoves(
  unit: UnitKey,
  { desired, actual }: { readonly desired: Desired; readonly actual: Actual },
): readonly Operation[] {
  const policy = policyOfUnit(unit);
  if (policy === null) return [];
  return actual.aclsOf(unit).flatMap(({ uuid, row }) => {
    const index = row.external_ids.get(keys.index) ?? "";
    const place = desired.rankedPlace(policy, index === "default" ? index : Number(index));
    if (place === null || (row.tier === place.tier && row.priority === place.priority)) return [];
    return [northboundOperations.update("ACL", uuid, { tier: place.tier, priority: place.priority })];
  });
}
