// Which tier of OVN each evaluation tier gets: behind a pass a new one, as long as there are some, and no earlier than needed.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { assign } from "./assignment.ts";

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
