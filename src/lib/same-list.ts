// Whether two lists have the same values in the same places.

export function isSameList<T>(one: readonly T[], other: readonly T[]): boolean {
  return one === other || (one.length === other.length && one.every((value, at) => value === other[at]));
}
