// Labels in the order in which people are shown them: keys that name an application first, in a given order; then by key.

import type { Labels } from "../model/labels.ts";

export function plainestFirst(
  labels: Labels,
  telling: readonly string[],
): readonly (readonly [string, string])[] {
  const rank = (key: string) => (telling.includes(key) ? telling.indexOf(key) : telling.length);
  return [...labels].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
