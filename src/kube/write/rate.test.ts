// The rate of requests, by a clock that is a number.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Rate } from "./rate.ts";

const options = { perSecond: 20, atOnce: 5 };

test("some at once, then as many as a second has, and as many at once again after a rest", () => {
  let now = 0;
  const rate = new Rate({ now: () => now }, options);
  const begun = () => {
    let count = 0;
    while (rate.begin() === 0) count++;
    return count;
  };
  expect(begun()).toBe(5);
  expect(rate.begin()).toBe(50);
  now += 1000 / 20;
  expect(begun()).toBe(1);
  now += 60_000;
  expect(begun()).toBe(5);
});

test("in no time are more begun than it has, whenever somebody asks", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 200 }), (pauses) => {
      let now = 0;
      const rate = new Rate({ now: () => now }, options);
      const begun: number[] = [];
      for (const pause of pauses) {
        now += pause;
        const wait = rate.begin();
        if (wait === 0) begun.push(now);
        else {
          // Whoever waits as long as told may begin.
          now += wait;
          expect(rate.begin()).toBe(0);
          begun.push(now);
        }
      }
      for (const [at, from] of begun.entries())
        for (const [further, to] of begun.slice(at).entries())
          expect(further + 1).toBeLessThanOrEqual(
            options.atOnce + (options.perSecond * (to - from)) / 1000 + 1e-6,
          );
    }),
    { numRuns: 50 },
  );
});
