// Of runs that have places, the most that are in the order that they should have: those that need not move. Pure.
// The longest increasing subsequence, where a run must also end before the next begins: O(n log n).

interface Standing {
  /** Its first level. */
  readonly at: number;
  readonly length: number;
}

/** The most of these runs, given in their order, that do not overlap and are in that order. */
export function longestInOrder<R extends Standing>(runs: readonly R[]): R[] {
  interface Link {
    readonly run: R;
    readonly before: Link | null;
  }
  /** Of all chains of one length, the last link of the one that ends first; by length. */
  const last: Link[] = [];
  for (const run of runs) {
    let [low, high] = [0, last.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const link = last[middle];
      if (link !== undefined && link.run.at + link.run.length <= run.at) low = middle + 1;
      else high = middle;
    }
    const longer = last[low];
    if (longer === undefined || longer.run.at + longer.run.length > run.at + run.length)
      last[low] = { run, before: last[low - 1] ?? null };
  }
  const found: R[] = [];
  for (let link = last.at(-1) ?? null; link !== null; link = link.before) found.push(link.run);
  return found.reverse();
}
