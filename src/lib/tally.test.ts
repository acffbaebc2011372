// What is held, and by how many: after every change that of the definition, and just the keys that came, left or have another
// value are told.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { Tally } from "./tally.ts";

test("has the keys that somebody holds, and tells of those that came and left", () => {
  const changes = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), (steps) => {
      const tally = new Tally<string, string>();
      const held: string[] = [];
      for (const [at, step] of steps.entries()) {
        const before = new Map(tally.values);
        const removed: string[] = [];
        const left = [...held];
        for (const [key, comes] of step) {
          if (comes || !left.includes(key)) continue;
          left.splice(left.indexOf(key), 1);
          removed.push(key);
        }
        const added = step.filter(([, comes]) => comes).map(([key]) => key);
        held.splice(0, held.length, ...left, ...added);
        const change = tally.change(
          removed,
          added.map((key) => [key, `${key} of step ${at}`]),
        );
        expect([...tally.values.keys()].sort()).toEqual([...new Set(held)].sort());
        const others = [...tally.values].filter(([key, value]) => before.get(key) !== value);
        expect([...change.added].sort()).toEqual(others.sort());
        expect([...change.removed].sort()).toEqual(
          [...before.keys()].filter((key) => !held.includes(key)).sort(),
        );
      }
    }),
  );
});

test("keeps the value while somebody holds the key", () => {
  const tally = new Tally<string, number>();
  tally.change([], [["a", 1]]);
  expect(tally.change([], [["a", 2]])).toEqual({ added: new Map(), removed: new Set() });
  expect(tally.change(["a"], [])).toEqual({ added: new Map(), removed: new Set() });
  expect([...tally.values]).toEqual([["a", 1]]);
});

test("a key that comes as its last holder goes has the new value", () => {
  const tally = new Tally<string, number>();
  tally.change([], [["a", 1]]);
  expect(tally.change(["a"], [["a", 2]])).toEqual({ added: new Map([["a", 2]]), removed: new Set() });
  expect([...tally.values]).toEqual([["a", 2]]);
});

test("a key that nobody holds cannot be let go", () => {
  expect(() => new Tally<string, number>().change(["a"], [])).toThrow("nobody holds");
});
