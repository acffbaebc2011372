// What is held, and by how many: after every change that of the definition, and the same values where no key comes or goes.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { Tally } from "./tally.ts";

test("has the keys that somebody holds", () => {
  const changes = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), (steps) => {
      let tally = new Tally<string, string>();
      const held: string[] = [];
      for (const step of steps) {
        const before = [...held];
        const gone: string[] = [];
        for (const [key, comes] of step) {
          if (comes || !before.includes(key)) continue;
          before.splice(before.indexOf(key), 1);
          held.splice(held.indexOf(key), 1);
          gone.push(key);
        }
        const come = step.filter(([, comes]) => comes).map(([key]) => key);
        held.push(...come);
        tally = tally.changed(
          gone,
          come.map((key) => [key, key.toUpperCase()]),
        );
        expect(new Map([...tally.values].sort())).toEqual(
          new Map([...new Set(held)].sort().map((key) => [key, key.toUpperCase()])),
        );
      }
    }),
  );
});

test("has the same values where no key comes or goes, and is the same where nothing changes", () => {
  const tally = new Tally<string, number>().changed([], [["a", 1]]);
  expect(tally.changed([], [])).toBe(tally);
  const twice = tally.changed([], [["a", 2]]);
  expect(twice.values).toBe(tally.values);
  expect(twice.changed(["a"], []).values).toBe(tally.values);
  expect([...tally.values]).toEqual([["a", 1]]);
});

test("a key that comes as its last holder goes has the new value", () => {
  const tally = new Tally<string, number>().changed([], [["a", 1]]);
  expect([...tally.changed(["a"], [["a", 2]]).values]).toEqual([["a", 2]]);
});

test("a key that nobody holds cannot be let go", () => {
  expect(() => new Tally<string, number>().changed(["a"], [])).toThrow("nobody holds");
});
