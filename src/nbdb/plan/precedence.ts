// The order in which units may take effect one after the other where nothing of ours is in force. A packet is judged by the
// first ACL that matches it. So while the existing ACLs are the first ones of all in the order of evaluation, each packet
// has the verdict that it had before, or the one that it has in the end. Units whose ACLs lie among one another take effect
// together. ACLs at one place may follow one another only if they all have the same verdict.

import type { DesiredRows } from "../desired/unit-state.ts";
import type { Action } from "../../policy/ir.ts";
import type { UnitKey } from "../rows/unit.ts";

/** A unit's ACLs in the order of evaluation; the smaller number is first. */
interface Range {
  readonly unit: UnitKey;
  readonly first: number;
  readonly last: number;
}

/** ACL.tier and ACL.priority. */
interface Place {
  readonly tier: number;
  readonly priority: number;
}

/** What ACLs at one level do; "different": not all do the same. */
type Levels = ReadonlyMap<number, string>;

/** Units of one group take effect together, and each group before the next. A unit without ACLs has no effect: it is first. */
export function byPrecedence(
  units: readonly UnitKey[],
  desired: (unit: UnitKey) => DesiredRows | null,
): readonly (readonly UnitKey[])[] {
  const levels = new Map<number, string>();
  const ranges = units.map((unit) => rangeOf(unit, desired(unit), levels));
  ranges.sort((a, b) => a.first - b.first || a.last - b.last);
  return groupsOf(ranges, levels);
}

function groupsOf(ranges: readonly Range[], levels: Levels): readonly (readonly UnitKey[])[] {
  const groups: UnitKey[][] = [];
  let last = -Infinity;
  for (const { unit, ...range } of ranges) {
    const isBehind = range.first > last || (range.first === last && levels.get(range.first) !== "different");
    if (isBehind) groups.push([unit]);
    else groups.at(-1)?.push(unit);
    last = Math.max(last, range.last);
  }
  return groups;
}

function rangeOf(unit: UnitKey, state: DesiredRows | null, levels: Map<number, string>): Range {
  let first = Infinity;
  let last = -Infinity;
  const note = (place: Place, verdict: string): void => {
    const level = levelOf(place);
    first = Math.min(first, level);
    last = Math.max(last, level);
    levels.set(level, [undefined, verdict].includes(levels.get(level)) ? verdict : "different");
  };
  for (const { acls, namedPorts } of state?.rows.parts.values() ?? []) {
    for (const { row } of acls) note(row, verdictOf(row.action));
    if (namedPorts !== null) note(namedPorts.place, verdictOfRule(namedPorts.rule.action));
  }
  return last === -Infinity ? { unit, first: -Infinity, last } : { unit, first, last };
}

/** ACL priorities go to 32767. */
const levelsOfTier = 0x8000;

function levelOf({ tier, priority }: Place): number {
  return tier * levelsOfTier - priority;
}

/** The three ways to allow differ in what they remember of a connection. */
function verdictOf(action: string): string {
  return action.startsWith("allow") ? "allow" : action;
}

function verdictOfRule(action: Action): string {
  return action === "deny" ? "drop" : action;
}
