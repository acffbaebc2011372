// Rows with ranked places by their order instead of their numbers, because the numbers depend on history (docs/rows.md,
// Places). Rows with documented places stay as they are, byte for byte.

import type { AclRecord, Tables } from "../../src/nbdb/rows/records.ts";

/** The documented priorities of each OVN tier, both ends in them. */
const documented: Readonly<Record<number, readonly [number, number]>> = {
  1: [20_001, 30_000],
  2: [0, 32_767],
  3: [1651, 1750],
};

type Place = Pick<AclRecord, "tier" | "priority">;

export function isRanked({ tier, priority }: Place): boolean {
  const [least, most] = documented[tier] ?? [Infinity, -Infinity];
  return priority < least || priority > most;
}

export function byOrder(tables: Tables): Tables {
  return { ...tables, ACL: aclsByOrder(tables.ACL) };
}

/** Where every place is ranked: each ACL with how many levels of its tier are before its own. */
export function allByOrder(tables: Tables): Tables {
  const levelOf = ({ tier, priority }: Place) =>
    new Set(
      tables.ACL.filter((one) => one.tier === tier && one.priority > priority).map((one) => one.priority),
    ).size;
  return { ...tables, ACL: tables.ACL.map((acl) => ({ ...acl, priority: levelOf(acl) })) };
}

/** -1 is the first of the ranked levels in use of its tier. */
export function aclsByOrder<A extends Place>(acls: readonly A[]): readonly A[] {
  const inUse = Map.groupBy(acls.filter(isRanked), ({ tier }) => tier);
  const levels = new Map(
    Array.from(inUse, ([tier, acls]) => [
      tier,
      [...new Set(acls.map(({ priority }) => priority))].sort((a, b) => b - a),
    ]),
  );
  const placed = (acl: A): A => {
    const rank = levels.get(acl.tier)?.indexOf(acl.priority) ?? -1;
    return isRanked(acl) ? { ...acl, priority: -1 - rank } : acl;
  };
  return acls.map(placed);
}
