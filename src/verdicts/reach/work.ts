// How much was done to find what rules decide: tests bound it.

export interface Work {
  /** Selectors and networks held against labels and addresses. */
  matches: number;
  /** Pairs of classes of ends. */
  pairs: number;
  /** Different lists of rules that pairs meet. */
  rows: number;
  /** Rules walked through in those lists. */
  steps: number;
}

export function noWork(): Work {
  return { matches: 0, pairs: 0, rows: 0, steps: 0 };
}
