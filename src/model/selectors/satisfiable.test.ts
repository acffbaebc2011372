// Selectors that nothing can meet, and those that something could.

import { expect, test } from "@jest/globals";
import { isSatisfiable } from "./satisfiable.ts";
import type { Requirement } from "../selector.ts";
import { allOf, anyOf, everything, negated, requirements } from "../selector.ts";

const isIn = (...values: readonly string[]): Requirement => ({ operator: "In", key: "app", values });
const notIn = (...values: readonly string[]): Requirement => ({ operator: "NotIn", key: "app", values });
const exists: Requirement = { operator: "Exists", key: "app" };
const missing: Requirement = { operator: "DoesNotExist", key: "app" };
const contains = (text: string): Requirement => ({ operator: "Contains", key: "app", text });
const starts = (text: string): Requirement => ({ operator: "StartsWith", key: "app", text });
const ends = (text: string): Requirement => ({ operator: "EndsWith", key: "app", text });
const other: Requirement = { operator: "In", key: "tier", values: ["db"] };

test.each<readonly [boolean, readonly Requirement[]]>([
  [true, []],
  [true, [isIn("a", "b"), notIn("a")]],
  [false, [isIn("a"), notIn("a")]],
  [false, [isIn("a"), isIn("b"), other]],
  [true, [isIn("a"), other]],
  [true, [exists, notIn("a")]],
  [false, [exists, missing]],
  [false, [isIn("a"), missing]],
  [true, [notIn("a"), missing]],
  [false, [isIn()]],
  [true, [isIn("ab", "ba"), starts("b"), contains("a")]],
  [false, [isIn("ab"), starts("b")]],
  [false, [contains("a"), missing]],
  [true, [starts("a"), starts("ab"), ends("c"), ends("bc"), contains("x"), contains("y"), notIn("abc")]],
  [false, [starts("a"), starts("b")]],
  [false, [ends("a"), ends("ab")]],
  [true, [exists, notIn("#", "##")]],
  [true, [contains("#"), notIn("#", "###")]],
])("%s: %j", (expected, list) => {
  expect(isSatisfiable(requirements(list))).toBe(expected);
  expect(isSatisfiable(allOf([requirements(list), everything]))).toBe(expected);
  expect(isSatisfiable(anyOf([requirements(list), requirements([isIn("a"), isIn("b")])]))).toBe(expected);
});

test("parts that contradict each other", () => {
  const [a, b] = [requirements([isIn("a")]), requirements([isIn("b")])];
  expect(isSatisfiable(allOf([a, allOf([b])]))).toBe(false);
  expect(isSatisfiable(allOf([a, negated(b)]))).toBe(true);
  expect(isSatisfiable(anyOf([a, b]))).toBe(true);
});
