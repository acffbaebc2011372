import { expect, test } from "@jest/globals";
import { CountedSet } from "./counted-set.ts";

test("a value is in the set from its first add to its last remove", () => {
  const set = new CountedSet<string>();
  expect(set.add("a")).toBe(true);
  expect(set.add("a")).toBe(false);
  expect([...set.keys()]).toEqual(["a"]);
  expect(set.size).toBe(1);
  expect(set.remove("a")).toBe(false);
  expect(set.has("a")).toBe(true);
  expect(set.remove("a")).toBe(true);
  expect(set.has("a")).toBe(false);
  expect(set.size).toBe(0);
});

test("a remove without an add throws", () => {
  const set = new CountedSet<string>();
  expect(() => set.remove("a")).toThrow("invariant broken");
  set.add("a");
  set.remove("a");
  expect(() => set.remove("a")).toThrow("invariant broken");
});
