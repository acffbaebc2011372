// When which server is asked for which name, with a clock of the test's: at the end of each answer's TTL, never more than 50 at
// once, each server by itself.

import { expect, test } from "@jest/globals";
import { HandClock } from "../../test/support/scripted-api.ts";
import type { IpFamily } from "../model/ip.ts";
import type { LearnedAnswer } from "./answer-sink.ts";
import type { Asked } from "./poll.ts";
import { Poll } from "./poll.ts";

const failed: Asked = { outcome: "failed", addresses: [], isReached: false };
const noData: Asked = { outcome: "no-data", addresses: [], isReached: true };
const withTtl = (...ttls: readonly number[]): Asked => ({
  ...{ outcome: "answered", isReached: true },
  addresses: ttls.map((ttl, at) => ({ ip: `192.0.2.${at + 1}`, ttl })),
});

function stage(answer: (server: string, name: string, family: IpFamily) => Asked | Promise<Asked>) {
  const clock = new HandClock();
  const learned: LearnedAnswer[] = [];
  const asked: string[] = [];
  const errors: unknown[] = [];
  const poll = new Poll({
    clock,
    sink: { learn: (one) => learned.push(one) },
    ask: async (server, name, family) => {
      asked.push(`${clock.now()} ${server} ${name} ${family}`);
      return answer(server, name, family);
    },
    fatal: (error) => errors.push(error),
  });
  /** Lets time pass in steps, so that each answer is there before the next. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 5) {
      clock.elapse(Math.min(5, left));
      await settled();
    }
  };
  const times = (of: string) =>
    asked.filter((one) => one.endsWith(of)).map((one) => Number(one.split(" ")[0]));
  return { clock, poll, learned, asked, errors, pass, times };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("each server is asked for both families, and again when the least TTL of its own answer is over", async () => {
  const { poll, pass, times, learned, errors } = stage((server, _, family) => {
    if (family === "v6") return noData;
    return server === "a:53" ? withTtl(5, 3) : withTtl(2);
  });
  poll.follow(["www.test"], ["a:53", "b:53"]);
  await settled();
  await pass(6_100);
  expect(times("a:53 www.test v4")).toEqual([0, 3_005, 6_010]);
  expect(times("b:53 www.test v4")).toEqual([0, 2_005, 4_010, 6_015]);
  expect(learned.slice(0, 2)).toMatchObject([
    { name: "www.test", family: "v4", outcome: "answered", at: 0, source: "a:53" },
    { name: "www.test", family: "v6", outcome: "no-data", at: 0, source: "a:53" },
  ]);
  expect(errors).toEqual([]);
});

test("a name without an address is asked for soon, the other family of one with addresses seldom", async () => {
  const { poll, pass, times } = stage((_, name, family) => {
    if (name === "none.test") return { ...noData, outcome: "no-such-name" };
    return family === "v4" ? withTtl(600) : noData;
  });
  poll.follow(["www.test", "none.test"], ["a:53"]);
  await settled();
  await pass(61_000);
  expect(times("none.test v4")).toHaveLength(13);
  expect(times("www.test v6")).toHaveLength(3);
  expect(times("www.test v4")).toHaveLength(1);
});

test("a TTL of zero is a second, and a failure waits longer each time", async () => {
  const { poll, pass, times } = stage((_, name) => (name === "zero.test" ? withTtl(0) : failed));
  poll.follow(["zero.test", "away.test"], ["a:53"]);
  await settled();
  await pass(8_000);
  expect(times("zero.test v4")).toHaveLength(9);
  expect(times("away.test v4")).toEqual([0, 1_000, 3_000, 7_000]);
  await pass(120_000);
  expect(times("away.test v4").slice(3)).toEqual([7_000, 15_000, 31_000, 61_000, 91_000, 121_000]);
});

test("a server that answers nothing is away until it answers anything, and one that is not asked any more is not", async () => {
  let isUp = false;
  const { poll, pass } = stage(() => (isUp ? { ...failed, isReached: true } : failed));
  poll.follow(["www.test"], ["a:53"]);
  await settled();
  expect(poll.away).toEqual([]);
  await pass(1_000);
  expect(poll.away).toEqual(["a:53"]);
  isUp = true;
  await pass(2_000);
  expect(poll.away).toEqual([]);
  isUp = false;
  await pass(60_000);
  expect(poll.away).toEqual(["a:53"]);
  poll.follow(["www.test"], []);
  expect(poll.away).toEqual([]);
});

test("at most 50 questions are under way, and none of a server that hangs holds up what is not waiting for it for good", async () => {
  const open: (() => void)[] = [];
  const { poll, asked, learned } = stage(async () => {
    await new Promise<void>((resolve) => open.push(resolve));
    return failed;
  });
  poll.follow(
    Array.from({ length: 200 }, (_, at) => `n${at}.test`),
    ["a:53"],
  );
  await settled();
  let most = 0;
  for (let round = 0; round < 500 && learned.length < 400; round++) {
    most = Math.max(most, poll.inFlight);
    open.shift()?.();
    await settled();
  }
  expect([most, asked.length, learned.length, poll.inFlight]).toEqual([50, 400, 400, 0]);
});

test("what is not asked for any more is not learned, and nothing is asked after the end", async () => {
  const open: (() => void)[] = [];
  const { poll, asked, learned, clock } = stage(async () => {
    await new Promise<void>((resolve) => open.push(resolve));
    return withTtl(1);
  });
  poll.follow(["www.test"], ["a:53"]);
  poll.follow(["other.test"], ["a:53"]);
  await settled();
  for (const resolve of open) resolve();
  await settled();
  expect(learned.map(({ name }) => name)).toEqual(["other.test", "other.test"]);
  poll.stop();
  clock.elapse(60_000);
  await settled();
  expect([asked.length, clock.tasks]).toEqual([4, 0]);
});
