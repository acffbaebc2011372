// Columns of text within a width: nothing is lost, and only a word that does not fit is wider.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { aligned } from "./aligned.ts";

const rows = [
  ["NAME", "WHAT IT DOES", "PLACE"],
  ["a", "one two three four", "x.yaml:1"],
  ["longer", "five", "y.yaml:2"],
];

test("without a width, or with room for all, a line each", () => {
  const whole = [
    "NAME    WHAT IT DOES        PLACE",
    "a       one two three four  x.yaml:1",
    "longer  five                y.yaml:2",
  ];
  expect(aligned(rows)).toEqual(whole);
  expect(aligned(rows, 36)).toEqual(whole);
});

test("the widest column gives way first: its words go on below", () => {
  expect(aligned(rows, 30)).toEqual([
    "NAME    WHAT IT DOES  PLACE",
    "a       one two       x.yaml:1",
    "        three four",
    "longer  five          y.yaml:2",
  ]);
});

test("where the longest words do not fit beside one another, the columns behind go below", () => {
  expect(aligned(rows, 16)).toEqual([
    "NAME    WHAT IT",
    "        DOES",
    "        PLACE",
    "a       one two",
    "        three",
    "        four",
    "        x.yaml:1",
    "longer  five",
    "        y.yaml:2",
  ]);
});

test("every word is there, in its column's order, and only single words are wider", () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  const cell = fc.array(word, { maxLength: 6 }).map((some) => some.join(" "));
  const table = fc
    .integer({ min: 1, max: 6 })
    .chain((count) =>
      fc.array(fc.array(cell, { minLength: count, maxLength: count }), { minLength: 1, maxLength: 4 }),
    );
  fc.assert(
    fc.property(table, fc.integer({ min: 10, max: 60 }), (lines, width) => {
      const text = aligned(lines, width);
      const wordsOf = (some: readonly string[]) =>
        some
          .flatMap((line) => line.split(" "))
          .filter(Boolean)
          .sort();
      expect(wordsOf(text)).toEqual(wordsOf(lines.flat()));
      for (const line of text) if (line.length > width) expect(line.trim()).not.toContain(" ");
    }),
  );
});
