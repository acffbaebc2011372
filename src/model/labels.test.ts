import { expect, test } from "@jest/globals";
import { canonicalLabels, noLabels } from "./labels.ts";

const text = (...entries: [string, string][]) => canonicalLabels(new Map(entries));

test("order does not show", () => {
  expect(text(["a", "1"], ["b", "2"])).toBe(text(["b", "2"], ["a", "1"]));
  expect(canonicalLabels(noLabels)).toBe("[]");
});

test("no value imitates another map", () => {
  const texts = [
    text(["a", "b"]),
    text(["a", "b,c"]),
    text(["a", 'b"],["c","d']),
    text(["a", "b"], ["c", "d"]),
    text(["a", ""]),
    text(["", "a"]),
  ];
  expect(new Set(texts).size).toBe(texts.length);
});
