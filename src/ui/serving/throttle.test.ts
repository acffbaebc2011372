// Turns under a clock of the test's: one at a time, each followed by its pause, and nobody who has gone is served.

import { expect, test } from "@jest/globals";
import type { Clock } from "../../lib/clock.ts";
import { Throttle } from "./throttle.ts";

/** Time passes when work takes it, and when the test waits. */
function handClock() {
  let now = 0;
  let due: { at: number; task: () => void } | null = null;
  const clock: Clock = {
    now: () => now,
    after: (ms, task) => {
      const own = { at: now + ms, task };
      due = own;
      return {
        cancel: () => {
          if (due === own) due = null;
        },
      };
    },
  };
  return {
    clock,
    take: (ms: number) => {
      now += ms;
    },
    wait: (ms: number) => {
      const end = now + ms;
      while (due !== null && due.at <= end) {
        const { at, task }: { at: number; task: () => void } = due;
        due = null;
        now = Math.max(now, at);
        task();
      }
      now = end;
    },
  };
}

test("answers take a tenth of the time, however many ask", () => {
  const { clock, take, wait } = handClock();
  const turns = new Throttle(clock, 9);
  let done = 0;
  for (let at = 0; at < 30; at++)
    void turns.take(
      "a",
      () => true,
      () => {
        take(50);
        done++;
      },
    );
  wait(0);
  expect(done).toBe(1);
  // Each answer of 50 ms has 450 ms behind it.
  wait(5_000);
  expect(done).toBeGreaterThanOrEqual(10);
  expect(done).toBeLessThanOrEqual(11);
  wait(60_000);
  expect(done).toBe(30);
});

test("who has gone is passed over, more than 64 do not wait, and after the end nobody is served", () => {
  const { clock, wait } = handClock();
  const turns = new Throttle(clock, 0);
  const done: number[] = [];
  for (let at = 0; at < 100; at++)
    void turns.take(
      "a",
      () => at % 2 === 0,
      () => done.push(at),
    );
  wait(1_000);
  expect(done).toEqual(Array.from({ length: 32 }, (_, at) => 2 * at));
  void turns.take(
    "a",
    () => true,
    () => done.push(-1),
  );
  turns.stop();
  wait(1_000);
  expect(done).toHaveLength(32);
});

test("work that throws rejects its own answer and no other", async () => {
  const { clock, wait } = handClock();
  const turns = new Throttle(clock, 0);
  const thrown = turns.take(
    "a",
    () => true,
    () => {
      throw new Error("a defect");
    },
  );
  const next = turns.take(
    "a",
    () => true,
    () => "served",
  );
  wait(1_000);
  await expect(thrown).rejects.toThrow("a defect");
  await expect(next).resolves.toBe("served");
});

test("clients take turns, and of too many the newest of whoever has the most are dropped", () => {
  const { clock, wait } = handClock();
  const turns = new Throttle(clock, 0);
  const done: string[] = [];
  const ask = (client: string, count: number): void => {
    for (let at = 0; at < count; at++)
      void turns.take(
        client,
        () => true,
        () => done.push(`${client}${at}`),
      );
  };
  ask("a", 100);
  ask("b", 3);
  wait(1_000);
  expect(done.slice(0, 7)).toEqual(["a0", "b0", "a1", "b1", "a2", "b2", "a3"]);
  expect([done.length, done.filter((one) => one.startsWith("b")).length, done.at(-1)]).toEqual([
    64,
    3,
    "a60",
  ]);
});
