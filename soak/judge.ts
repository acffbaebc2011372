// Whether a soak was good: figures of the second half hold still, and nothing that must not happen happened. Knows numbers
// only. Invariant: no verdict is "yes" for a series with too few samples, or with one that is no number.

import { spread } from "../bench/run/measurement.ts";
import type { Sample } from "./run/sampler.ts";

/** A rise is allowed up to the larger of the two. */
export interface Tolerance {
  readonly share: number;
  readonly amount: number;
}

export interface Trend {
  /** Medians of the second and of the fourth quarter. */
  readonly second: number;
  readonly fourth: number;
  readonly allowed: number;
  readonly isFlat: boolean;
}

export interface Verdict {
  readonly what: string;
  readonly found: string;
  readonly wanted: string;
  readonly isGood: boolean;
}

/** What else was seen of a run. */
export interface Ending {
  /** null: the rows were those of a fresh start. */
  readonly rows: string | null;
  readonly foreignRows: number;
  readonly foreignChanged: readonly string[];
  readonly complaints: readonly string[];
  /** Of the program, on SIGTERM. */
  readonly exitCode: number | null;
  readonly faultsFailed: readonly string[];
}

const memory: Tolerance = { share: 0.1, amount: 8e6 };
const handles: Tolerance = { share: 0, amount: 3 };
/** The event loop, but for the time in which the program was held from outside. */
const longestLagMs = 3_000;
const longestP99Ms = 500;
/** A window's minimum is the heap after a collection, or close to it. */
const windowsPerQuarter = 5;
const fewest = 4 * windowsPerQuarter;

/** The quarters are of the samples' number. */
export function trendOf(values: readonly number[], { share, amount }: Tolerance): Trend {
  const quarter = (at: number) =>
    values.slice(Math.floor((at * values.length) / 4), Math.floor(((at + 1) * values.length) / 4));
  const median = (some: readonly number[]) => spread(some)?.p50 ?? Number.NaN;
  const [second, fourth] = [median(quarter(1)), median(quarter(3))];
  const allowed = Math.max(second * share, amount);
  const isKnown = values.length >= fewest && values.every((value) => Number.isFinite(value));
  return { second, fourth, allowed, isFlat: isKnown && fourth - second <= allowed };
}

/** The least value of each window; every quarter has as many windows. */
export function minima(values: readonly number[]): readonly number[] {
  const windows = 4 * windowsPerQuarter;
  if (values.length < windows) return [];
  return Array.from({ length: windows }, (_, at) =>
    Math.min(
      ...values.slice(
        Math.floor((at * values.length) / windows),
        Math.floor(((at + 1) * values.length) / windows),
      ),
    ),
  );
}

export function verdictsOf(samples: readonly Sample[], ending: Ending): readonly Verdict[] {
  const of = (pick: (sample: Sample) => number) => samples.map(pick);
  const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const plain = (count: number) => String(Math.round(count));
  const own = samples.filter(({ isHeld }) => !isHeld);
  const longest = Math.max(...own.map(({ lagMaxMs }) => lagMaxMs));
  const p99 = Math.max(...own.map(({ lagP99Ms }) => lagP99Ms));
  return [
    flat("heap after collections", trendOf(minima(of(({ heapBytes }) => heapBytes)), memory), mib),
    flat(
      "resident memory",
      trendOf(
        of(({ rssBytes }) => rssBytes),
        memory,
      ),
      mib,
    ),
    flat(
      "open descriptors",
      trendOf(
        of(({ descriptors }) => descriptors),
        handles,
      ),
      plain,
    ),
    atMost("event loop held up, longest", longest, longestLagMs),
    atMost("event loop held up, p99 of the worst sample", p99, longestP99Ms),
    none("differences from the rows of a fresh start", ending.rows === null ? [] : [ending.rows]),
    {
      ...none(`rows of other owners changed, of ${ending.foreignRows}`, ending.foreignChanged),
      isGood: ending.foreignRows > 0 && ending.foreignChanged.length === 0,
    },
    none("faults that did not end well", ending.faultsFailed),
    none("lines of its log at level error", ending.complaints),
    {
      what: "exit code on SIGTERM",
      found: String(ending.exitCode),
      wanted: "0",
      isGood: ending.exitCode === 0,
    },
  ];
}

function flat(what: string, trend: Trend, shown: (value: number) => string): Verdict {
  return {
    what,
    found: `${shown(trend.second)} → ${shown(trend.fourth)}`,
    wanted: `at most +${shown(trend.allowed)}`,
    isGood: trend.isFlat,
  };
}

function atMost(what: string, foundMs: number, boundMs: number): Verdict {
  return {
    what,
    found: `${Math.round(foundMs)} ms`,
    wanted: `at most ${boundMs} ms`,
    isGood: foundMs <= boundMs,
  };
}

function none(what: string, found: readonly string[]): Verdict {
  const [first] = found;
  return {
    what,
    found: first === undefined ? "0" : `${found.length}: ${first}`,
    wanted: "0",
    isGood: first === undefined,
  };
}
