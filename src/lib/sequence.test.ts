// The difference of two lists: that of the definition whatever comes, goes and moves, and found without a table where few do.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { differing } from "./sequence.ts";

const lists = fc.uniqueArray(fc.nat(30), { maxLength: 30 });

test("has what one list has and the other has not, each in its list's order", () => {
  fc.assert(
    fc.property(lists, lists, (before, after) => {
      expect(differing(before, after)).toEqual({
        removed: before.filter((one) => !after.includes(one)),
        added: after.filter((one) => !before.includes(one)),
      });
    }),
    { numRuns: 1000 },
  );
});

test("of a long list with few changes, every value is looked at a few times", () => {
  let reads = 0;
  const counted = (list: readonly number[]) =>
    new Proxy(list, {
      get: (target, name) => {
        if (typeof name === "string" && /^\d+$/.test(name)) reads++;
        return Reflect.get(target, name) as unknown;
      },
    });
  const before = Array.from({ length: 1000 }, (_, at) => at);
  const after = before.filter((one) => one !== 5 && one !== 700).concat(1000);
  after.splice(300, 0, 2000, 2001);
  expect(differing(counted(before), counted(after))).toEqual({
    removed: [5, 700],
    added: [2000, 2001, 1000],
  });
  expect(reads).toBeLessThan(2 * before.length + 100);
});
