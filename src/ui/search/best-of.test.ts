// The first of many: as if all were sorted, of equal ones the earlier first, and what comes later is compared once.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { BestOf } from "./best-of.ts";

interface One {
  readonly rank: number;
  readonly at: number;
}

test("they are the first of all in the order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 9 })), fc.nat({ max: 12 }), (ranks, most) => {
      const all = ranks.map((rank, at): One => ({ rank, at }));
      const byRank = (a: One, b: One): number => a.rank - b.rank;
      const best = new BestOf(most, byRank);
      for (const one of all) best.add(one);
      expect(best.found).toEqual({ total: all.length, shown: all.toSorted(byRank).slice(0, most) });
    }),
  );
});

test("of what is in order already each is compared once", () => {
  let compared = 0;
  const best = new BestOf<number>(10, (a, b) => {
    compared++;
    return a - b;
  });
  for (let at = 0; at < 10_000; at++) best.add(at);
  expect(best.found.total).toBe(10_000);
  expect(compared).toBeLessThan(10_100);
});
