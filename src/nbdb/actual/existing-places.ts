// The places that policies' rows have in the database: what a program that starts, or takes over from another, keeps.

import type { Action } from "../../policy/ir.ts";
import type { ExistingAcl } from "../ranking/places.ts";
import { keys } from "../rows/names.ts";
import type { AclRow } from "../rows/schema.ts";
import type { ExistingAcls, UnitKey } from "../rows/unit.ts";
import { policyOfUnit } from "../rows/unit.ts";

export function existingPlaces(
  acls: Iterable<readonly [UnitKey, Pick<AclRow, "tier" | "priority" | "action" | "external_ids">]>,
): ExistingAcls {
  const existing = new Map<UnitKey, ExistingAcl[]>();
  for (const [unit, { tier, priority, action, external_ids }] of acls) {
    const index = policyOfUnit(unit) === null ? endOf(action) : indexIn(external_ids);
    if (index === null) continue;
    const known = existing.get(unit) ?? [];
    existing.set(unit, known);
    known.push({ index, action: actionOf(action), place: { tier, priority } });
  }
  return existing;
}

function endOf(action: string): "default" | null {
  return actionOf(action) === "deny" ? "default" : null;
}

/** null: the row does not name its rule. */
export function indexIn(externalIds: ReadonlyMap<string, string>): number | "default" | null {
  const text = externalIds.get(keys.index) ?? "";
  if (text === "default") return text;
  return /^\d{1,5}$/.test(text) ? Number(text) : null;
}

/** The action of the rule, according to the row's `action` column. */
export function actionOf(action: string): Action {
  if (action === "drop") return "deny";
  return action === "pass" || action === "reject" ? action : "allow";
}
