// Work under a clock of the test's: one piece at a time, and a pause behind each that follows from how long it took.

import { expect, test } from "@jest/globals";
import { HandClock } from "../../../test/support/scripted-api.ts";
import { Lane } from "./lane.ts";

/** Lets everything go on that waits for nothing else. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function scene(rest: number) {
  const clock = new HandClock();
  const lane = new Lane(clock, rest);
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const take = (name: string): Promise<string> => {
    const end = Promise.withResolvers<string>();
    ends.set(name, end);
    return lane.take(() => {
      begun.push(name);
      return end.promise;
    });
  };
  return { clock, lane, begun, ends, take };
}

test("the next piece begins when the one before has ended and the pause is over", async () => {
  const { clock, begun, ends, take } = scene(9);
  const first = take("first");
  void take("second");
  await settled();
  clock.elapse(100);
  ends.get("first")!.resolve("done");
  expect(await first).toBe("done");
  await settled();
  clock.elapse(899);
  await settled();
  expect(begun).toEqual(["first"]);
  clock.elapse(1);
  await settled();
  expect(begun).toEqual(["first", "second"]);
});

test("a piece that fails has its pause, and fails alone", async () => {
  const { clock, begun, ends, take } = scene(9);
  const first = take("first");
  void take("second");
  await settled();
  clock.elapse(10);
  ends.get("first")!.reject(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  await settled();
  expect(begun).toEqual(["first"]);
  clock.elapse(90);
  await settled();
  expect(begun).toEqual(["first", "second"]);
});

test("without a rest there is no pause; what waits when the lane stops never begins", async () => {
  const { clock, lane, begun, ends, take } = scene(0);
  void take("first");
  await settled();
  clock.elapse(100);
  void take("second");
  ends.get("first")!.resolve("done");
  await settled();
  expect([begun, clock.tasks]).toEqual([["first", "second"], 0]);
  lane.stop();
  void take("third");
  ends.get("second")!.resolve("done");
  await settled();
  expect(begun).toEqual(["first", "second"]);
});
