// Which tier of OVN each evaluation tier gets: behind a pass a new one, as long as there are some, and no earlier than needed.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { TierDemand } from "./assignment.ts";
import { assign, assignAround } from "./assignment.ts";

const plain = (levels = 1) => ({ levels, passes: false });
const passing = (levels = 1) => ({ levels, passes: true });
const three = [10, 10, 10];

/** The OVN tier of each; in brackets: what it passes is closed. */
function shown(...args: Parameters<typeof assign>): string {
  const { tiers, fits } = assign(...args);
  return [
    ...tiers.map(({ at, isClosed }) => (isClosed ? `(${at})` : `${at}`)),
    ...(fits ? [] : ["full"]),
  ].join(" ");
}

test.each([
  ["nothing passes: one is enough", [plain(), plain(), plain()], "0 0 0"],
  ["only behind what passes does one begin", [plain(), passing(), plain(), plain()], "0 0 1 1"],
  ["a pass behind which nothing is needs none", [plain(), plain(), passing()], "0 0 0"],
  ["two passes take all three", [passing(), passing(), passing()], "0 1 2"],
  [
    "the third finds none left, and nobody else's changes",
    [passing(), passing(), passing(), plain()],
    "0 1 (2) 2",
  ],
  [
    "nor do those behind it, but the last",
    [passing(), passing(), passing(), passing(), passing()],
    "0 1 (2) (2) 2",
  ],
  ["one without levels left begins one too", [plain(6), plain(6), plain(4)], "0 1 1"],
  [
    "and takes it from what passes behind it",
    [plain(9), plain(9), passing(1), plain(9), plain(1)],
    "0 1 1 2 2",
  ],
  ["too many rules in all", [plain(9), plain(9), plain(9), plain(9)], "0 1 2 2 full"],
  ["too many in one tier", [plain(11)], "0 full"],
  ["none", [], ""],
])("%s", (_, tiers, expected) => {
  expect(shown(tiers, three)).toBe(expected);
});

test("what fits still does, and nothing is closed that was open, when a tier goes, is shorter or passes no more", () => {
  const tier = fc.record({ levels: fc.integer({ min: 1, max: 7 }), passes: fc.boolean() });
  let fitted = 0;
  fc.assert(
    fc.property(fc.array(tier, { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(2), (tiers, which, how) => {
      const before = assign(tiers, three);
      if (!before.fits) return;
      fitted++;
      const at = which % tiers.length;
      const one = tiers[at] ?? plain();
      const left =
        how === 0
          ? []
          : [how === 1 ? { ...one, levels: Math.max(1, one.levels - 2) } : { ...one, passes: false }];
      expect(assign(tiers.toSpliced(at, 1, ...left), three).fits).toBe(true);
    }),
  );
  expect(fitted).toBeGreaterThan(20);
});

describe("around another program's rows, which are in the tier of OVN before the last", () => {
  /** `|` is where those rows are: the front of their tier is before it, the rest behind it. */
  function around(text: string): string {
    const demand = (one: string): TierDemand => ({ levels: one.length, passes: one.includes("P") });
    const [before = "", behind = ""] = text.split("|");
    const parts = (side: string): readonly TierDemand[] => side.trim().split(" ").filter(Boolean).map(demand);
    const [earlier, later] = [parts(before), parts(behind)];
    const front = before.includes("f") ? (earlier.at(-1) ?? null) : null;
    const rest = behind.includes("r") ? (later[0] ?? null) : null;
    const { tiers, fits } = assignAround(
      {
        ...{ front, earlier: front === null ? earlier : earlier.slice(0, -1) },
        ...{ rest, later: rest === null ? later : later.slice(1) },
      },
      [4, 4, 4],
    );
    const texts = tiers.map(({ at, isClosed }) => (isClosed ? `(${at})` : `${at}`));
    return [...texts, ...(fits ? [] : ["full"])].join(" ");
  }

  test.each([
    ["what is behind them is in the last", "t f|r t", "0 0 2 2"],
    ["a tier before theirs may pass to them", "P f|r t", "0 1 2 2"],
    ["with nothing of their tier, too", "P|", "0"],
    ["the second finds none to pass to: a pass of OVN would skip them", "P P f|", "0 (1) 1"],
    ["with nothing behind it, too", "P P|", "0 (1)"],
    ["out of the front something may pass where nothing follows its tier", "Pf|r", "0 2"],
    ["and nothing where something does", "Pf|r t", "(0) 2 2"],
    ["whatever its tier of OVN", "P Pf|r t", "0 (1) 2 2"],
    ["what passes out of the rest has no tier left", "f|Pr t", "0 (2) 2"],
    ["unless nothing follows", "f|Pr", "0 2"],
    ["nor has a later one", "|P P t", "(2) (2) 2"],
    ["a full one begins another", "ttt fff|", "0 1"],
    ["as long as there is one before them", "ttt ttt fff|", "0 1 1 full"],
    ["or behind them", "f|rrr tt", "0 2 2 full"],
    ["none", "|", ""],
  ])("%s: %s", (_, text, expected) => {
    expect(around(text)).toBe(expected);
  });
});
