// Equality of column values.

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
