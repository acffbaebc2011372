// Units as people know them: by the names of their policies, a few of many.

import { excerptOf } from "../lib/text/few.ts";
import type { DescribedUnits } from "../contents/write-conflicts.ts";
import type { ShownKey } from "../model/object.ts";
import type { UnitKey } from "./rows/unit.ts";
import { isPolicyUnit, policyOfUnit } from "./rows/unit.ts";

/** Units that a line names. */
const named = 5;

/** For corrections and write conflicts. */
export function describedUnits(units: ReadonlySet<UnitKey>, shown: ShownKey): DescribedUnits {
  return { counts: unitCounts(units), names: shownUnits(units, shown) };
}

export function shownUnits(units: ReadonlySet<UnitKey>, shown: ShownKey): string {
  const names = [...units]
    .sort()
    .slice(0, named)
    .map((unit) => shownUnit(unit, shown));
  return excerptOf(units.size, names);
}

/** For a log line: how many policies, and how many units that are no policy's, when there are any. */
export function unitCounts(units: ReadonlySet<UnitKey>): DescribedUnits["counts"] {
  const policies = [...units].filter(isPolicyUnit).length;
  return { policies, ...(policies < units.size ? { shared: units.size - policies } : {}) };
}

/** A unit of several policies has no name that users know. */
function shownUnit(unit: UnitKey, shown: ShownKey): string {
  const policy = policyOfUnit(unit);
  return policy === null ? unit : shown(policy);
}
