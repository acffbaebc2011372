// Where a version of a value is made from an earlier one, parts that did not change are the same objects, and a reader skips
// them. This module owns that meaning of `===`. It rests on one invariant: a value that was handed out is never edited.

/**
 * Whether a part is that of the version before: then its content is the same. The reverse does not hold: another object may
 * have equal content, and counts as changed.
 */
export function isReused<T>(before: T, after: T): boolean {
  return before === after;
}
