// Folded lines have every word, in order, and none is wider than the terminal unless a word is.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { folded } from "./folded.ts";

const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 });

test("no word is lost, and lines fit", () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 60 }), fc.nat({ max: 8 }), (drawn, width, indent) => {
      const line = " ".repeat(indent) + drawn.join(" ");
      const lines = folded(line, width, indent);
      expect(lines.join(" ").split(/ +/).filter(Boolean)).toEqual(drawn);
      expect(lines.filter((one) => one.length > width)).toEqual([]);
      expect(lines.slice(1).every((one) => one.startsWith(" ".repeat(indent)))).toBe(true);
    }),
  );
});

test("a word that is too long stays whole; without a width nothing is folded", () => {
  expect(folded("aaaa bbbbbbbbbbbbbbbbbbbbbbbbb cc", 10, 2)).toEqual([
    "aaaa",
    "  bbbbbbbbbbbbbbbbbbbbbbbbb",
    "  cc",
  ]);
  expect(folded("a b ".repeat(100), null, 2)).toHaveLength(1);
});
