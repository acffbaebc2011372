// Rows with ranked places by their order instead of their numbers, because the numbers depend on history (docs/rows.md,
// Places). Rows with documented places stay as they are, byte for byte.

import type { AclRecord, Tables } from "../../src/nbdb/desired/tables.ts";

/** The documented priorities of each OVN tier, both ends in them. */
const documented: Readonly<Record<number, readonly [number, number]>> = {
  1: [20_001, 30_000],
  2: [0, 32_767],
  3: [1651, 1750],
};

export function isRanked({ tier, priority }: Pick<AclRecord, "tier" | "priority">): boolean {
  const [least, most] = documented[tier] ?? [Infinity, -Infinity];
  return priority < least || priority > most;
}

/** -1 is the first of the ranked levels in use of its tier. */
export function byOrder(tables: Tables): Tables {
  const inUse = Map.groupBy(tables.ACL.filter(isRanked), ({ tier }) => tier);
  const levels = new Map(
    Array.from(inUse, ([tier, acls]) => [
      tier,
      [...new Set(acls.map(({ priority }) => priority))].sort((a, b) => b - a),
    ]),
  );
  const placed = (acl: AclRecord): AclRecord => {
    const rank = levels.get(acl.tier)?.indexOf(acl.priority) ?? -1;
    return isRanked(acl) ? { ...acl, priority: -1 - rank } : acl;
  };
  return { ...tables, ACL: tables.ACL.map(placed) };
}
