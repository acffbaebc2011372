// Units as people know them: by the names of their policies, a few of many.

import { fewOf } from "../lib/few.ts";
import type { ShownKey } from "../model/object.ts";
import type { UnitKey } from "./rows/unit.ts";
import { policyOfUnit } from "./rows/unit.ts";

/** Units that a line names. */
const named = 5;

export function shownUnits(units: ReadonlySet<UnitKey>, shown: ShownKey): string {
  const names = [...units]
    .sort()
    .slice(0, named)
    .map((unit) => shownUnit(unit, shown));
  return fewOf(units.size, names);
}

/** A unit of several policies has no name that users know. */
function shownUnit(unit: UnitKey, shown: ShownKey): string {
  const policy = policyOfUnit(unit);
  return policy === null ? unit : shown(policy);
}
