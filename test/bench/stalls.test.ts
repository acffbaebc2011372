// The bench's own instrument: what it sees of a stall, and that it does nothing while nothing is measured. Time is a number
// here, and work of the timer is counted.

import { expect, test } from "@jest/globals";
import { lookEveryMs, Stalls } from "../../bench/run/stalls.ts";
import type { Clock } from "../../src/lib/clock.ts";

/** An event loop that turns when it is told to: `hold` is work in one turn, `idle` turns as timers come due. */
class Turns implements Clock {
  looks = 0;
  #now = 0;
  readonly #timers = new Map<symbol, { readonly due: number; readonly task: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void) {
    const id = Symbol("timer");
    this.#timers.set(id, { due: this.#now + ms, task });
    return { cancel: () => void this.#timers.delete(id) };
  }

  hold(ms: number): void {
    this.#now += ms;
  }

  idle(ms: number): void {
    for (let left = ms; left >= 0; left--) {
      for (const [id, { due, task }] of this.#timers) {
        if (due > this.#now) continue;
        this.#timers.delete(id);
        this.looks++;
        task();
      }
      if (left > 0) this.#now++;
    }
  }
}

test("a stall is seen, but for the time between two looks, wherever it begins", () => {
  for (const before of [0, 1, 5, 9, 10, 35]) {
    const loop = new Turns();
    const stalls = new Stalls(loop);
    stalls.begin();
    loop.idle(before);
    loop.hold(120);
    loop.idle(30);
    loop.hold(40);
    loop.idle(30);
    const seen = stalls.end();
    expect(seen).toBeLessThanOrEqual(120);
    expect(seen).toBeGreaterThanOrEqual(120 - lookEveryMs);
  }
});

test("a stall at the very beginning and one that lasts to the end count", () => {
  const loop = new Turns();
  const stalls = new Stalls(loop);
  stalls.begin();
  loop.hold(80);
  expect(stalls.end()).toBe(80 - lookEveryMs);
  expect(stalls.end()).toBe(80 - lookEveryMs);
});

test("without a stall there is none, and an earlier one is forgotten", () => {
  const loop = new Turns();
  const stalls = new Stalls(loop);
  expect(stalls.end()).toBe(0);
  stalls.begin();
  loop.hold(100);
  stalls.begin();
  loop.idle(200);
  expect(stalls.end()).toBe(0);
});

test("nothing is done while nothing is measured", () => {
  const loop = new Turns();
  const stalls = new Stalls(loop);
  loop.idle(1000);
  stalls.begin();
  loop.idle(100);
  stalls.end();
  const looks = loop.looks;
  expect(looks).toBe(100 / lookEveryMs);
  loop.idle(1000);
  expect(loop.looks).toBe(looks);
});
