// When a version is believed, by a time that the test passes in.

import { expect, test } from "@jest/globals";
import { Settling } from "./settling.ts";

const looked = (settling: Settling, now: number, version: string) => {
  settling.look(now, now);
  return [settling.rests("a", version), settling.dueMs];
};

test("a version is believed after the quiet time, which each other version begins again", () => {
  const settling = new Settling(500);
  expect(looked(settling, 0, "1")).toEqual([false, 500]);
  expect(looked(settling, 400, "1")).toEqual([false, 100]);
  expect(looked(settling, 450, "2")).toEqual([false, 500]);
  expect(looked(settling, 949, "2")).toEqual([false, 1]);
  expect(looked(settling, 950, "2")).toEqual([true, null]);
});

test("a path that changed while it was read begins again, and one that was not asked about is forgotten", () => {
  const settling = new Settling(500);
  looked(settling, 0, "1");
  expect(looked(settling, 500, "1")).toEqual([true, null]);
  settling.stirred("a");
  expect(settling.dueMs).toBe(500);
  expect(looked(settling, 600, "2")).toEqual([false, 500]);
  settling.look(700, 700);
  expect(looked(settling, 1200, "2")).toEqual([false, 500]);
});

test("a look that was held up believes nothing that it may have seen before the quiet time was over", () => {
  const settling = new Settling(500);
  const held = (begunMs: number, endedMs: number) => {
    settling.look(begunMs, endedMs);
    return [settling.rests("a", "1"), settling.dueMs];
  };
  expect(held(0, 300)).toEqual([false, 500]);
  // At 799 it may have seen what it saw at 300; at 900 it did no longer.
  expect(held(799, 900)).toEqual([false, -100]);
  expect(held(900, 5000)).toEqual([true, null]);
});

test("the time without rest counts from the first version", () => {
  const settling = new Settling(500);
  for (let now = 0; now < 1000; now += 100) looked(settling, now, String(now));
  expect(settling.restless(901)).toEqual([]);
  expect(settling.restless(900)).toEqual(["a"]);
});
