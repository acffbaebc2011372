import { expect, test } from "@jest/globals";
import { Multimap } from "./multimap.ts";

test("a key is there while it has values", () => {
  const map = new Multimap<string, number>();
  expect(map.add("a", 1)).toBe(true);
  expect(map.add("a", 2)).toBe(false);
  expect([...map.get("a")]).toEqual([1, 2]);
  expect([...map.each("a")]).toEqual([1, 2]);
  expect(map.has("a", 2)).toBe(true);
  expect(map.has("b", 2)).toBe(false);
  expect(map.size).toBe(1);
  expect(map.remove("a", 1)).toBe(false);
  expect([...map.each("a")]).toEqual([2]);
  expect(map.remove("a", 2)).toBe(true);
  expect([...map.keys()]).toEqual([]);
  expect(map.get("a").size).toBe(0);
  expect([...map.each("a")]).toEqual([]);
});

test("an imbalance throws where it happens", () => {
  const map = new Multimap<string, number>();
  expect(() => map.remove("a", 1)).toThrow("invariant broken");
  map.add("a", 1);
  expect(() => map.add("a", 1)).toThrow("invariant broken");
  expect(() => map.remove("a", 2)).toThrow("invariant broken");
  expect([...map.get("a")]).toEqual([1]);
});
