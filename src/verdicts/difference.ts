// What differs between the verdicts of two worlds for one pair of ends, along every line of traffic. Equal differences are one
// object with one number, whatever rules they come from: the classes that people read are counted by them.

import { Interner } from "./interner.ts";
import type { TableId, Tables, IntervalMap, ClassVerdict } from "./tables.ts";
import type { Axis, Range } from "./traffic.ts";
import { axes, whole } from "./traffic.ts";
import type { Both } from "./worlds.ts";

/** On one line, where a verdict turns into another. */
export interface Interval {
  readonly axis: Axis;
  /** Ascending, not touching. */
  readonly ranges: readonly Range[];
}

/** Traffic whose verdict turns from one into another. */
export interface Change {
  readonly id: number;
  readonly old: ClassVerdict;
  readonly new: ClassVerdict;
  /** In the order of `axes`; at least one. */
  readonly traffic: readonly Interval[];
}

/** The tables of both sides of a connection. */
export interface SideTables {
  readonly egress: TableId;
  readonly ingress: TableId;
}

/** More than there are tables. */
const stride = 2 ** 24;

export class Differences {
  readonly #tables: Tables;
  readonly #changeIds = new Interner();
  readonly #changes: Change[] = [];
  readonly #pairs = new Map<number, number>();
  readonly #known = new Map<number, readonly Change[]>();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** None where no verdict differs. */
  between(old: SideTables, next: SideTables): readonly Change[] {
    if (old.egress === next.egress && old.ingress === next.ingress) return none;
    const key = this.#pair(old.egress, next.egress) * stride + this.#pair(old.ingress, next.ingress);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = this.#compare({ old, new: next });
    this.#known.set(key, made);
    return made;
  }

  #pair(old: TableId, next: TableId): number {
    const key = old * stride + next;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const made = this.#pairs.size;
    this.#pairs.set(key, made);
    return made;
  }

  #compare(sides: Both<SideTables>): readonly Change[] {
    const turned = new Map<string, { old: ClassVerdict; new: ClassVerdict; traffic: Interval[] }>();
    for (const axis of axes) {
      for (const [turn, ranges] of this.#turnsOn(axis, sides)) {
        const [old, next] = turn;
        const found = turned.get(`${old} ${next}`) ?? { old, new: next, traffic: [] };
        found.traffic.push({ axis, ranges });
        turned.set(`${old} ${next}`, found);
      }
    }
    return [...turned.values()].map((change) => this.#interned(change));
  }

  #interned(change: Omit<Change, "id">): Change {
    const id = this.#changeIds.of(JSON.stringify(change));
    return (this.#changes[id] ??= { id, ...change });
  }

  #turnsOn(axis: Axis, { old, new: next }: Both<SideTables>): Map<Turn, Range[]> {
    const strip = (id: TableId): IntervalMap => this.#tables.table(id)[axis];
    const [before, after] = [old, next].map(({ egress, ingress }) => [strip(egress), strip(ingress)]);
    const starts = new Set([...(before ?? []), ...(after ?? [])].flatMap((one) => one.starts));
    const cuts = [...starts].sort((a, b) => a - b);
    const found = new Map<string, { turn: Turn; ranges: Range[] }>();
    for (const [at, first] of cuts.entries()) {
      const turn: Turn = [joined(before ?? [], first), joined(after ?? [], first)];
      if (turn[0] === turn[1]) continue;
      const last = (cuts[at + 1] ?? whole[axis][1] + 1) - 1;
      const known = found.get(turn.join()) ?? { turn, ranges: [] };
      add(known.ranges, first, last);
      found.set(turn.join(), known);
    }
    return new Map([...found.values()].map(({ turn, ranges }) => [turn, ranges]));
  }
}

type Turn = readonly [old: ClassVerdict, next: ClassVerdict];

const none: readonly Change[] = [];

/** Both sides must allow. */
function joined(intervals: readonly IntervalMap[], point: number): ClassVerdict {
  const verdicts = intervals.map((strip) => verdictAt(strip, point));
  if (verdicts.includes("deny")) return "deny";
  return verdicts.includes("unknown") ? "unknown" : "allow";
}

function verdictAt({ starts, verdicts }: IntervalMap, point: number): ClassVerdict {
  const at = starts.findLastIndex((start) => start <= point);
  return verdicts[at] ?? "allow";
}

/** Behind the ranges; one that touches the last becomes a part of it. */
function add(ranges: Range[], first: number, last: number): void {
  const before = ranges.at(-1);
  if (before !== undefined && before[1] + 1 === first) ranges[ranges.length - 1] = [before[0], last];
  else ranges.push([first, last]);
}
