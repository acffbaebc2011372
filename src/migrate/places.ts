// Priorities of one tier, 0..1000, for policies whose order is known. Each keeps its own wherever it can; where a policy
// needs more numbers than one, those behind it move up, and at the end of the tier those before it move down. Policies of
// one level may share a number, because the API leaves their order open anyway.

/** The policies that have one place in the order today. */
export interface Level {
  /** The first priority that it would have if it were alone. */
  readonly wanted: number;
  /** How many consecutive priorities it needs. */
  readonly width: number;
}

/** How many priorities a tier has. */
export const priorities = 1001;

/** The first priority of each level, ascending; null: they need more than the tier has. */
export function placesOf(levels: readonly Level[]): readonly number[] | null {
  if (levels.reduce((sum, { width }) => sum + width, 0) > priorities) return null;
  const starts: number[] = [];
  let free = 0;
  for (const { wanted, width } of levels) {
    const start = Math.max(wanted, free);
    starts.push(start);
    free = start + width;
  }
  let end = priorities;
  return starts
    .map((start, at) => ({ start, width: levels[at]?.width ?? 0 }))
    .reverse()
    .map(({ start, width }) => (end = Math.min(start, end - width)))
    .reverse();
}
