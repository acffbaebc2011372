// Again and again, until it is cancelled or fails.

import { expect, test } from "@jest/globals";
import { HandClock } from "../../test/support/scripted-api.ts";
import { every } from "./every.ts";

test("calls at equal distances until it is cancelled", () => {
  const clock = new HandClock();
  let calls = 0;
  const failed: unknown[] = [];
  const timer = every(
    clock,
    10,
    () => calls++,
    (error) => failed.push(error),
  );
  expect(calls).toBe(0);
  for (let n = 0; n < 3; n++) clock.elapse(10);
  expect(calls).toBe(3);
  timer.cancel();
  clock.elapse(100);
  expect([calls, clock.tasks, failed]).toEqual([3, 0, []]);
});

test("ends with the error of its task", () => {
  const clock = new HandClock();
  const failed: unknown[] = [];
  const bug = new Error("a bug");
  every(
    clock,
    10,
    () => {
      throw bug;
    },
    (error) => failed.push(error),
  );
  clock.elapse(10);
  clock.elapse(10);
  expect([failed, clock.tasks]).toEqual([[bug], 0]);
});
