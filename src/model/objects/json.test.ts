// Equal as JSON: two values are equal when their texts are. And how deep a value is.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isDeeperThan, sameJson } from "./json.ts";

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("values are equal when their texts say the same", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
      expect(sameJson(a, copy(a))).toBe(true);
      expect(sameJson(copy(a), copy(b))).toBe(JSON.stringify(a) === JSON.stringify(b));
      expect(sameJson([a, b], [copy(a), a])).toBe(JSON.stringify(b) === JSON.stringify(a));
    }),
  );
});

test.each<[unknown, unknown]>([
  [{}, []],
  [[], {}],
  [null, {}],
  [{}, null],
  ["1", 1],
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: 1, b: 2 }, { a: 1 }],
  [{ a: null }, {}],
  [{ a: undefined }, { b: undefined }],
  [JSON.parse('{"__proto__":{}}'), { a: 1 }],
  [JSON.parse('{"toString":{}}'), { a: 1 }],
  [[1, 2], [1]],
])("%j and %j differ", (a, b) => {
  expect(sameJson(a, b)).toBe(false);
  expect(sameJson(b, a)).toBe(false);
});

test("the order of fields counts, and that of elements", () => {
  expect(sameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(false);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
});

test("of the deeper value no more is looked at than the other has", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(sameJson([[1]], deep)).toBe(false);
  expect(sameJson(deep, [[1]])).toBe(false);
});

test("a canonical field says all of its object, and nothing where it is no text", () => {
  expect(sameJson([{ text: "a", n: 1 }], [{ text: "a", n: 2 }], "text")).toBe(true);
  expect(sameJson([{ text: "a", n: 1 }], [{ text: "b", n: 1 }], "text")).toBe(false);
  expect(sameJson({ text: 1, n: 1 }, { text: 1, n: 2 }, "text")).toBe(false);
  expect(sameJson({ text: "a" }, {}, "text")).toBe(false);
  expect(sameJson({}, { text: "a" }, "text")).toBe(false);
  expect(sameJson({ x: undefined }, { y: 1 })).toBe(false);
});

test("depth counts lists and objects, and a scalar has none", () => {
  expect([0, "x", null, undefined].some((value) => isDeeperThan(0, value))).toBe(false);
  expect([isDeeperThan(0, []), isDeeperThan(1, []), isDeeperThan(1, [{}]), isDeeperThan(2, [{}])]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(isDeeperThan(2, { a: 1, b: [{ c: {} }] })).toBe(true);
});
