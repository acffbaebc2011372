// Keeps runs of consecutive levels in order on a line of levels, with room between (online order maintenance). A run that
// is added or grows moves no other while the gap between its neighbours has room. A run that shrinks or is removed moves none.
// Refuses nothing: the caller asks `fits` first, and while it says yes there is a place for every run.
//
// Without room in the gap, the smallest window of runs around it is spread that is not too full for its size. A small window
// may be fuller than a large one, and the whole line as full as it is, so that a window that was spread has room for a while:
// an added run moves a few others on average, whatever the order of arrival (Itai, Konheim, Rodeh 1981; Bender, Cole,
// Demaine, Farach-Colton, Zito 2002). On a line that is more than half full such windows are wide. There, a few neighbours
// move to the nearest room as long as that suffices; each costs at most a few moves, so that the mean stays small.

import { invariant } from "../../lib/invariant.ts";
import type { Rank } from "../../policy/order.ts";
import { compareRanks, compareTiers, isSameTier } from "../../policy/order.ts";
import { longestInOrder } from "./longest.ts";
import { endBefore, nearestRoom, startOf } from "./nearest-room.ts";

/** What is placed: `length` levels, in the order of ranks. */
export interface Item<K> extends Rank {
  readonly key: K;
  readonly length: number;
  /** It follows all others of its tier. */
  readonly isEnd?: true;
}

/** An item and its first level, from 0. */
interface Run<K> extends Omit<Item<K>, "length"> {
  at: number;
  length: number;
}

/** Runs that may move, by indexes, and which part of the levels from the first to the last they take. */
interface Reach {
  readonly first: number;
  readonly last: number;
  readonly share: number;
}

export interface Line {
  /** How many levels there are. */
  readonly levels: number;
  /**
   * Ascending priorities, from the first to the last that is expected: they say where on the line a priority is looked for.
   * What is between two of them has an equal part of the line. null: priorities say nothing, a run has its place by its neighbours.
   */
  readonly expected: readonly [number, number, ...number[]] | null;
}

/** The part of the line that is taken from which on runs move to the nearest room. */
const crowded = 0.5;

/** Of the room that the whole line has, how much the smallest window has at least after it was spread. */
const leastRoom = 0.5;

/** Of the room that the whole line has, how much there is between two ends of tiers at least: with less, the ends move too. */
const leastBetweenEnds = 3 / 4;

/** A window that is spread takes at most so many times the levels of its runs, so that they stay near their priority. */
const mostSpread = 4;

export class Allocator<K> {
  readonly #line: Line;
  readonly #byKey = new Map<K, Run<K>>();
  /** In order. */
  #runs: Run<K>[] = [];
  #used = 0;

  constructor(line: Line) {
    this.#line = line;
  }

  has(key: K): boolean {
    return this.#byKey.has(key);
  }

  /** The first level of the key's run. */
  at(key: K): number {
    const run = this.#byKey.get(key);
    invariant(run !== undefined, "asked for the place of what has none");
    return run.at;
  }

  lengthOf(key: K): number {
    return this.#byKey.get(key)?.length ?? 0;
  }

  /** Takes levels from the end of the key's run; no other run moves. */
  shorten(key: K, length: number): void {
    const run = this.#byKey.get(key);
    invariant(run !== undefined && length <= run.length, "a run is made shorter");
    this.#used -= run.length - length;
    run.length = length;
  }

  /** Whether the key can have so many levels, with `more` levels for others. */
  fits(key: K, length: number, more = 0): boolean {
    return this.#used - (this.#byKey.get(key)?.length ?? 0) + length + more <= this.#line.levels;
  }

  /** Places an item that fits, or places it again; returns the keys whose run moved, its own too when it is new. */
  put(item: Item<K>): readonly K[] {
    invariant(this.fits(item.key, item.length), "a run is placed for which there are no levels");
    const old = this.#byKey.get(item.key);
    if (old !== undefined) this.#take(old);
    return this.#insert({ ...item, at: old?.at ?? -1 }, old?.at ?? null);
  }

  remove(key: K): void {
    const run = this.#byKey.get(key);
    if (run !== undefined) this.#take(run);
  }

  /**
   * Moves the runs to the levels that are given for them. Where these do not keep the order, as many stay as can; a run
   * without a level that it can have stays where it is, or is placed again. Where nothing is given at all, all are placed
   * again in their order, so that the result depends on the runs alone. Returns the keys whose run moved.
   */
  adopt(levels: ReadonlyMap<K, number>): readonly K[] {
    const before = new Map(this.#runs.map(({ key, at }) => [key, at]));
    const given = this.#runs.flatMap((run) => {
      const at = levels.get(run.key);
      return at === undefined || at < 0 || at + run.length > this.#line.levels ? [] : [{ ...run, at }];
    });
    const kept = longestInOrder(given);
    const keys = new Set(kept.map(({ key }) => key));
    const others: { readonly run: Run<K>; readonly behind: number }[] = [];
    let behind = 0;
    for (const run of this.#runs.toReversed()) {
      if (keys.has(run.key)) behind = 0;
      else {
        others.push({ run, behind });
        behind += run.length;
      }
    }
    this.#runs = kept;
    this.#byKey.clear();
    for (const run of kept) this.#byKey.set(run.key, run);
    this.#used = kept.reduce((sum, { length }) => sum + length, 0);
    const isFullRebuild = kept.length === 0;
    for (const { run, behind: room } of others.reverse())
      this.#insert(run, isFullRebuild ? null : run.at, isFullRebuild ? 0 : room);
    return this.#runs.filter(({ key, at }) => before.get(key) !== at).map(({ key }) => key);
  }

  #take(run: Run<K>): void {
    this.#runs.splice(this.#indexOf(run), 1);
    this.#byKey.delete(run.key);
    this.#used -= run.length;
  }

  /** `wish`: where the run would stay; null: it is new. `behind`: levels to leave free between it and the next run. */
  #insert(run: Run<K>, wish: number | null, behind = 0): readonly K[] {
    const index = this.#indexOf(run);
    const [from, to] = [endBefore(this.#runs, index), startOf(this.#runs, index, this.#line.levels) - behind];
    this.#runs.splice(index, 0, run);
    this.#byKey.set(run.key, run);
    this.#used += run.length;
    if (to - from < run.length) return this.#makeRoom(index);
    const before = run.at;
    run.at =
      wish !== null && wish >= from && wish + run.length <= to
        ? wish
        : between(from, to, run.length, wish ?? this.#newPlace(index, from, to));
    return run.at === before ? [] : [run.key];
  }

  /** Finds a place for the run at this index, whose gap is too small. */
  #makeRoom(index: number): readonly K[] {
    const reach = this.#reach(index);
    const window =
      reach.share < crowded
        ? null
        : nearestRoom(this.#runs, index, this.#line.levels, [reach.first, reach.last]);
    if (window === null) return this.#spread(index, reach);
    const { first, last, from, to, levels } = window;
    return this.#spaced(first, last, [from, to], levels);
  }

  /**
   * The runs that may move for the one at this index: all; on a line of tiers, those between two ends of tiers, with which all
   * policies of a tier would move, while there is room.
   */
  #reach(index: number): Reach {
    const all = { first: 0, last: this.#runs.length - 1, share: this.#used / this.#line.levels };
    const isEnd = (at: number): boolean => this.#runs[at]?.isEnd === true;
    if (this.#line.expected !== null || isEnd(index)) return all;
    let [first, last, used] = [index, index, this.#lengthAt(index)];
    while (first > 0 && !isEnd(first - 1)) used += this.#lengthAt(--first);
    while (last < all.last && !isEnd(last + 1)) used += this.#lengthAt(++last);
    const share = used / (startOf(this.#runs, last + 1, this.#line.levels) - endBefore(this.#runs, first));
    return 1 - share < leastBetweenEnds * (1 - all.share) ? all : { first, last, share };
  }

  /** Spreads the smallest window around the run at this index that has room. */
  #spread(index: number, reach: Reach): readonly K[] {
    let [first, last] = [index, index];
    let length = this.#runs[index]?.length ?? 0;
    for (;;) {
      const isWhole = first === reach.first && last === reach.last;
      const [from, to] = [endBefore(this.#runs, first), startOf(this.#runs, last + 1, this.#line.levels)];
      if (isWhole || length <= mostOf(last - first + 1, reach) * (to - from))
        return this.#spaced(first, last, this.#near(index, from, to, mostSpread * length), length);
      if (first > reach.first) length += this.#lengthAt(--first);
      if (last < reach.last) length += this.#lengthAt(++last);
    }
  }

  /** At most `width` levels of the window, around the place where the priority of the run at this index would put it. */
  #near(index: number, from: number, to: number, width: number): readonly [number, number] {
    const run = this.#runs[index];
    if (run === undefined || to - from <= width) return [from, to];
    const { expected } = this.#line;
    const place = expected === null ? (from + to) >> 1 : this.#placeAmong(expected, run);
    const start = Math.min(Math.max(from, place - (width >> 1)), to - width);
    return [start, start + width];
  }

  /** Places the runs `first` to `last` in the window, in equal parts what their `used` levels leave of it. */
  #spaced(first: number, last: number, [from, to]: readonly [number, number], used: number): readonly K[] {
    const free = to - from - used;
    invariant(free >= 0, "more runs than levels");
    const moved: K[] = [];
    const parts = last - first + 2;
    let length = 0;
    for (const [place, run] of this.#runs.slice(first, last + 1).entries()) {
      const at = from + length + Math.floor((free * (place + 1)) / parts);
      if (run.at !== at) moved.push(run.key);
      run.at = at;
      length += run.length;
    }
    return moved;
  }

  /** Where the new run at this index is looked for, in its gap. */
  #newPlace(index: number, from: number, to: number): number {
    const run = this.#runs[index];
    invariant(run !== undefined, "a run that is placed is on the line");
    const { expected } = this.#line;
    if (expected !== null) return this.#placeAmong(expected, run);
    return from + Math.floor((to - from) * shareOf(run, this.#runs[index - 1], this.#runs[index + 1]));
  }

  /** Where the priority alone would put it: in the middle of the levels that fall to it. */
  #placeAmong(expected: readonly number[], { priority, length }: Item<K>): number {
    const { levels } = this.#line;
    const parts = expected.length - 1;
    const behind = expected.findIndex((border, at) => at > 0 && priority < border);
    const part = behind < 0 ? parts - 1 : behind - 1;
    const [first, last] = [expected[part] ?? 0, expected[part + 1] ?? 0];
    const share = (Math.min(Math.max(priority, first), last) - first + 0.5) / (last - first + 1);
    return Math.floor(((part + share) / parts) * levels - length / 2);
  }

  /** The place in the order: how many runs precede it. */
  #indexOf(item: Item<K>): number {
    let [low, high] = [0, this.#runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const run = this.#runs[middle];
      if (run !== undefined && isBefore(run, item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #lengthAt(index: number): number {
    return this.#runs[index]?.length ?? 0;
  }
}

/** The share of a window of so many runs that they may take: what all runs take that may move, or a bit more. */
function mostOf(count: number, { first, last, share }: Reach): number {
  const size = Math.log(count) / Math.log(Math.max(2, last - first + 1));
  return 1 - (1 - share) * (leastRoom + (1 - leastRoom) * size);
}

/**
 * How far into its gap a run comes that has its place by its neighbours. The first of a tier and the tier's end leave room for
 * others between them; what comes first or last in its tier stays near the tier's others.
 */
function shareOf<K>(run: Run<K>, before: Run<K> | undefined, behind: Run<K> | undefined): number {
  const isOwn = (other: Run<K> | undefined): boolean =>
    other !== undefined && isSameTier(other.tier, run.tier);
  if (run.isEnd === true) return 2 / 3;
  if (!isOwn(before)) return isOwn(behind) && behind?.isEnd !== true ? 1 : 1 / 3;
  return behind?.isEnd === true ? 0 : 1 / 2;
}

function isBefore<K>(a: Item<K>, b: Item<K>): boolean {
  const ends = Number(a.isEnd === true) - Number(b.isEnd === true);
  return (compareTiers(a.tier, b.tier) || ends || compareRanks(a, b)) < 0;
}

/** In the gap, near the wish, with room on both sides: as much as the run is long, or what there is. */
function between(from: number, to: number, length: number, wish: number): number {
  const room = Math.min(length, Math.floor((to - from - length) / 2));
  return Math.min(Math.max(wish, from + room), to - length - room);
}
