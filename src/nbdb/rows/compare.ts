// Equality of column values.

import type { DesiredAcl } from "./acl.ts";

export function sameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}

/** Of scalars, and of maps of strings. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a instanceof Map && b instanceof Map) {
    return sameMap(a as ReadonlyMap<string, string>, b as ReadonlyMap<string, string>);
  }
  return a === b;
}

/** Of rows that name the same columns. */
export function sameAcl(a: DesiredAcl, b: DesiredAcl): boolean {
  const other: Readonly<Record<string, unknown>> = b.row;
  return a.id === b.id && Object.entries(a.row).every(([column, value]) => sameValue(value, other[column]));
}
