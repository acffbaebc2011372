// Work under a clock of the test's: one piece at a time, and a pause where more has been spent than there was.

import { expect, test } from "@jest/globals";
import { HandClock } from "../../../test/support/scripted-api.ts";
import type { Budget } from "./lane.ts";
import { Lane } from "./lane.ts";

/** Lets everything go on that waits for nothing else. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const tenth: Budget = { share: 0.1, burstMs: 1_000 };

function scene(budget: Budget | null) {
  const clock = new HandClock();
  const lane = new Lane(clock, budget);
  const begun: string[] = [];
  const ends = new Map<string, (ms: number | null, error?: Error) => Promise<void>>();
  const take = (name: string): Promise<string> =>
    lane.take((spent) => {
      begun.push(name);
      return new Promise((resolve, reject) => {
        ends.set(name, (ms, error) => {
          if (ms !== null) spent(ms);
          if (error === undefined) resolve(name);
          else reject(error);
          return settled();
        });
      });
    });
  const elapse = (ms: number): Promise<void> => {
    clock.elapse(ms);
    return settled();
  };
  return { clock, lane, begun, ends, take, elapse };
}

test("one piece at a time; what is spent beyond the first amount is waited for", async () => {
  const { begun, ends, take, elapse } = scene(tenth);
  const first = take("first");
  void take("second");
  void take("third");
  await settled();
  expect(begun).toEqual(["first"]);
  await ends.get("first")!(1_000);
  expect(await first).toBe("first");
  expect(begun).toEqual(["first", "second"]);
  await ends.get("second")!(100);
  await elapse(999);
  expect(begun).toEqual(["first", "second"]);
  await elapse(1);
  expect(begun).toEqual(["first", "second", "third"]);
});

test("over a long time no more than the share is spent, and a quiet time saves no more than the first amount", async () => {
  const { begun, ends, take, elapse } = scene(tenth);
  await elapse(3_600_000);
  for (let at = 0; at < 1_000; at++) void take(String(at));
  await settled();
  for (let second = 0; second < 100; second++) {
    while (ends.size > 0)
      for (const [name, end] of ends) {
        ends.delete(name);
        await end(500);
      }
    await elapse(1_000);
  }
  // 100 s: 10 s of the share, 1 s at once, and the last piece that was affordable.
  expect(begun.length * 500).toBeLessThanOrEqual(11_500);
  expect(begun.length * 500).toBeGreaterThanOrEqual(10_500);
});

test("a piece that fails fails alone, and has spent the time that it took unless it says so", async () => {
  const { begun, ends, take, elapse } = scene(tenth);
  const first = take("first");
  void take("second");
  await settled();
  await elapse(2_000);
  const failed = expect(first).rejects.toThrow("broken");
  await ends.get("first")!(null, new Error("broken"));
  await failed;
  expect(begun).toEqual(["first"]);
  await elapse(10_000);
  expect(begun).toEqual(["first", "second"]);
});

test("without a budget nothing waits; what waits when the lane stops never begins", async () => {
  const { clock, lane, begun, ends, take } = scene(null);
  void take("first");
  void take("second");
  await settled();
  await ends.get("first")!(60_000);
  expect([begun, clock.tasks]).toEqual([["first", "second"], 0]);
  lane.stop();
  void take("third");
  await ends.get("second")!(1);
  expect(begun).toEqual(["first", "second"]);
});
