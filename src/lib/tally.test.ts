// What is held, and by how many: after every change that of the definition; just the keys that were added, removed or have another
// value are reported, and the tally before is as it was.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { Tally } from "./tally.ts";

test("has the keys that somebody holds, and tells of those that came and left", () => {
  const changes = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), (steps) => {
      let tally = new Tally<string, string>();
      const held: string[] = [];
      for (const [at, step] of steps.entries()) {
        const before = tally.values;
        const was = [...before];
        const removed: string[] = [];
        const left = [...held];
        for (const [key, comes] of step) {
          if (comes || !left.includes(key)) continue;
          left.splice(left.indexOf(key), 1);
          removed.push(key);
        }
        const added = step.filter(([, comes]) => comes).map(([key]) => key);
        held.splice(0, held.length, ...left, ...added);
        const { tally: next, change } = tally.changed(
          removed,
          added.map((key) => [key, `${key} of step ${at}`]),
        );
        tally = next;
        expect([...before]).toEqual(was);
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

const ofA = new Tally<string, number>().changed([], [["a", 1]]).tally;

test("keeps the value while the key has a holder", () => {
  const none = { added: new Map(), removed: new Set() };
  const { tally: ofTwo, change } = ofA.changed([], [["a", 2]]);
  expect(change).toEqual(none);
  const one = ofTwo.changed(["a"], []);
  expect(one.change).toEqual(none);
  expect([...one.tally.values]).toEqual([["a", 1]]);
});

test("a key that is added as its last holder is removed has the new value", () => {
  const { tally, change } = ofA.changed(["a"], [["a", 2]]);
  expect(change).toEqual({ added: new Map([["a", 2]]), removed: new Set() });
  expect([...tally.values]).toEqual([["a", 2]]);
});

test("without a change it is the same", () => {
  expect(ofA.changed([], []).tally).toBe(ofA);
});

test("a key without a holder cannot be released", () => {
  expect(() => new Tally<string, number>().changed(["a"], [])).toThrow("has no holder");
});
