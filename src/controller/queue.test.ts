// The queue: keys coalesce, come in order, and come back with backoff until they are settled.

import { expect, test } from "@jest/globals";
import type { Clock } from "../lib/clock.ts";
import { KeyedQueue } from "./queue.ts";

class HandClock implements Clock {
  #now = 0;
  #timers: { at: number; task: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): { cancel(): void } {
    const timer = { at: this.#now + ms, task };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
    };
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { task } of due) task();
  }
}

function queueWith(clock: Clock): KeyedQueue<string> {
  return new KeyedQueue({ clock, random: () => 0.999_999, initialBackoffMs: 100, maxBackoffMs: 1000 });
}

test("keys coalesce and are served in the order they came", () => {
  const queue = queueWith(new HandClock());
  for (const key of ["b", "a", "b", "c", "a"]) queue.add(key);
  expect(queue.size).toBe(3);
  expect(queue.take(2)).toEqual(["b", "a"]);
  queue.add("b");
  expect(queue.take(9)).toEqual(["c", "b"]);
  expect(queue.take(9)).toEqual([]);
});

test("the age is that of the oldest due key", () => {
  const clock = new HandClock();
  const queue = queueWith(clock);
  expect(queue.oldestMs).toBe(0);
  queue.add("a");
  clock.pass(30);
  queue.add("a");
  queue.add("b");
  expect(queue.oldestMs).toBe(30);
});

test("a failed key waits longer each time, and no more once it is settled", () => {
  const clock = new HandClock();
  const queue = queueWith(clock);
  let woken = 0;
  queue.onDue(() => {
    woken++;
  });
  queue.failed("a");
  expect(queue.delayed).toBe(1);
  clock.pass(100);
  expect([woken, queue.take(9)]).toEqual([1, ["a"]]);
  queue.failed("a");
  clock.pass(100);
  expect(queue.size).toBe(0);
  clock.pass(100);
  expect(queue.take(9)).toEqual(["a"]);
  queue.failed("a");
  queue.settled("a");
  clock.pass(10_000);
  expect([queue.size, queue.delayed]).toEqual([0, 0]);
  queue.failed("a");
  clock.pass(100);
  expect(queue.take(9)).toEqual(["a"]);
});

test("nothing comes after stop", () => {
  const clock = new HandClock();
  const queue = queueWith(clock);
  queue.add("a");
  queue.failed("b");
  queue.stop();
  clock.pass(10_000);
  expect(queue.size).toBe(0);
});
