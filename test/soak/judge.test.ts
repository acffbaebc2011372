// The judge of a soak must be able to say no: made-up series that leak, and endings that are not right.

import { expect, test } from "@jest/globals";
import { type Ending, minima, trendOf, verdictsOf } from "../../soak/judge.ts";
import type { Sample } from "../../soak/run/sampler.ts";
import { SettingsError } from "../../scripts/support/variables.ts";
import { settingsOf } from "../../soak/settings.ts";

const memory = { share: 0.1, amount: 8e6 };
const mb = 1e6;

/** A heap between collections: a saw on top of what lives. */
const saw = (at: number) => (at % 10) * 3 * mb;
const count = 400;
const series = (value: (at: number) => number) => Array.from({ length: count }, (_, at) => value(at));

function samplesOf(value: (at: number) => Partial<Sample>): readonly Sample[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ atMs: at * 2_000, heapBytes: 40 * mb + saw(at), rssBytes: 120 * mb, descriptors: 22 },
    ...{ lagP99Ms: 12, lagMaxMs: 40, isHeld: false, queueDepth: 0, cacheRows: 900, operations: at },
    ...value(at),
  }));
}

const well: Ending = {
  ...{ rows: null, foreignRows: 5, foreignChanged: [], complaints: [], exitCode: 0, faultsFailed: [] },
};
const refusedBy = (value: (at: number) => Partial<Sample>, ending: Partial<Ending> = {}) =>
  verdictsOf(samplesOf(value), { ...well, ...ending })
    .filter(({ isGood }) => !isGood)
    .map(({ what }) => what);

test("the minima of a saw are what lives", () => {
  expect(minima(series((at) => 40 * mb + saw(at)))).toEqual(Array.from({ length: 20 }, () => 40 * mb));
  expect(minima([1, 2, 3])).toEqual([]);
});

test("a series that holds still is flat, one that grows is not, however it swings", () => {
  expect(
    trendOf(
      series(() => 40 * mb),
      memory,
    ).isFlat,
  ).toBe(true);
  // Caches fill in the first quarter.
  expect(
    trendOf(
      series((at) => Math.min(at, 100) * mb),
      memory,
    ).isFlat,
  ).toBe(true);
  expect(
    trendOf(
      series((at) => 100 * mb - at * 1000),
      memory,
    ).isFlat,
  ).toBe(true);
  expect(
    trendOf(
      series((at) => 40 * mb + at * 0.1 * mb),
      memory,
    ).isFlat,
  ).toBe(false);
  expect(trendOf(minima(series((at) => 40 * mb + saw(at) + at * 0.1 * mb)), memory).isFlat).toBe(false);
  // Steps, as a leak of each fault makes them.
  expect(
    trendOf(
      series((at) => 40 * mb + Math.floor(at / 50) * 4 * mb),
      memory,
    ).isFlat,
  ).toBe(false);
});

test("too few samples prove nothing", () => {
  expect(trendOf([1, 1, 1, 1], memory).isFlat).toBe(false);
  expect(trendOf([], memory).isFlat).toBe(false);
});

test("a good run passes, and every way not to be good is seen", () => {
  expect(refusedBy(() => ({}))).toEqual([]);
  expect(refusedBy((at) => ({ heapBytes: 40 * mb + saw(at) + at * 0.1 * mb }))).toEqual([
    "heap after collections",
  ]);
  expect(refusedBy((at) => ({ rssBytes: 120 * mb + at * 0.1 * mb }))).toEqual(["resident memory"]);
  expect(refusedBy((at) => ({ descriptors: 22 + Math.floor(at / 40) }))).toEqual(["open descriptors"]);
  expect(refusedBy((at) => ({ lagMaxMs: at === 200 ? 3_001 : 40 }))).toEqual(["event loop held up, longest"]);
  expect(refusedBy((at) => ({ lagP99Ms: at === 200 ? 501 : 40 }))).toEqual([
    "event loop held up, p99 of the worst sample",
  ]);
  // The lag of a time in which somebody held the process is not its own.
  expect(refusedBy((at) => (at === 200 ? { lagMaxMs: 15_000, isHeld: true } : {}))).toEqual([]);
  expect(refusedBy((at) => (at === 200 ? { rssBytes: Number.NaN } : {}))).toEqual(["resident memory"]);
  expect(refusedBy(() => ({ heapBytes: Number.NaN }))).toEqual(["heap after collections"]);
});

test.each<[string, Partial<Ending>]>([
  ["differences from the rows of a fresh start", { rows: "rows of ACL" }],
  ["rows of other owners changed, of 5", { foreignChanged: ["ACL 1"] }],
  ["rows of other owners changed, of 0", { foreignRows: 0 }],
  ["faults that did not end well", { faultsFailed: ["NB paused: it did not come back"] }],
  ["lines of its log at level error", { complaints: ["{}"] }],
  ["exit code on SIGTERM", { exitCode: null }],
])("%s", (what, ending) => {
  expect(refusedBy(() => ({}), ending)).toEqual([what]);
});

test("settings are times and numbers, and nothing else", () => {
  expect(settingsOf({})).toMatchObject({ durationMs: 1_800_000, faultEveryMs: 20_000, page: "docs/soak.md" });
  expect(settingsOf({ SOAK: "90s", PAGE: "none" })).toMatchObject({ durationMs: 90_000, page: null });
  expect(settingsOf({ SOAK: "2h" }).durationMs).toBe(7_200_000);
  for (const env of [{ SOAK: "10" }, { SOAK: "0m" }, { SOAK: "5s" }, { RATE: "many" }, { FAULT: "-1s" }])
    expect(() => settingsOf(env)).toThrow(SettingsError);
});
