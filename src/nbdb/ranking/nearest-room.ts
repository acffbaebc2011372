// Where the nearest room for a run is: the few neighbours that move when the run's own gap is too small. Pure. A window has
// levels enough for its runs, and no other window of a few runs has fewer levels to move.

/** A run on the line. */
export interface Placed {
  /** Its first level, from 0. */
  readonly at: number;
  readonly length: number;
}

/** Runs that follow one another, between two that stay. */
export interface Window {
  /** Indexes of its first and last run. */
  readonly first: number;
  readonly last: number;
  /** Its first level, and the one behind its last. */
  readonly from: number;
  readonly to: number;
  /** Of its runs. A run has as many levels as its policy has rules, so these are rows to write. */
  readonly levels: number;
}

/** At most so many runs move to the nearest room: the added one and ten others. */
const few = 11;

/**
 * Of the windows of a few runs around this index that have room, the one whose runs have the fewest levels; null: none has.
 * `runs` are in order, the one at the index among them, wherever it is. `lowest` and `highest`: indexes of the runs that may move.
 */
export function nearestRoom(
  runs: readonly Placed[],
  index: number,
  levels: number,
  [lowest, highest]: readonly [number, number] = [0, runs.length - 1],
): Window | null {
  let best: Window | null = null;
  for (let first = Math.max(lowest, index - few + 1); first <= index; first++) {
    const window = smallest(runs, [first, highest], index, levels);
    if (window !== null && (best === null || isCheaper(window, best))) best = window;
  }
  return best;
}

/** The first level behind the run before this index. */
export function endBefore(runs: readonly Placed[], index: number): number {
  const run = runs[index - 1];
  return run === undefined ? 0 : run.at + run.length;
}

/** The first level of the run at this index; of none, the end of the line. */
export function startOf(runs: readonly Placed[], index: number, levels: number): number {
  return runs[index]?.at ?? levels;
}

/** The smallest window of a few runs from `first` on that has room, with the run at this index in it. */
function smallest(
  runs: readonly Placed[],
  [first, highest]: readonly [number, number],
  index: number,
  line: number,
): Window | null {
  const from = endBefore(runs, first);
  let levels = 0;
  for (const [place, run] of runs.slice(first, Math.min(first + few, highest + 1)).entries()) {
    const last = first + place;
    levels += run.length;
    const to = startOf(runs, last + 1, line);
    if (last >= index && to - from >= levels) return { first, last, from, to, levels };
  }
  return null;
}

/** Fewer levels to move; of as many, more room for the next run that is added. */
function isCheaper(a: Window, b: Window): boolean {
  return a.levels < b.levels || (a.levels === b.levels && a.to - a.from > b.to - b.from);
}
