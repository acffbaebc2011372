// Equality of lists.

/** The same values in the same order. */
export function sameSequence<T>(a: readonly T[], b: readonly T[]): boolean {
  return a === b || (a.length === b.length && a.every((value, index) => value === b[index]));
}
