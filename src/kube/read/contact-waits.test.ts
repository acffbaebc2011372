// The waits between probes of a resource, by a clock that is a number.

import { expect, test } from "@jest/globals";
import { Contact } from "./contact.ts";

test("a probe that was answered later than the next one was due waits for no negative time, which Node warns of on the log", async () => {
  const [probeMs, answerMs] = [10, 25];
  const stopping = new AbortController();
  const waits: number[] = [];
  let now = 0;
  let asked = 0;
  const contact = new Contact({
    api: {
      request: () => {
        now += answerMs;
        if (++asked === 3) stopping.abort();
        return Promise.resolve({ status: 500, headers: new Map(), body: "" });
      },
      stream: () => Promise.reject(new Error("nothing is watched")),
      requests: 0,
      close: () => undefined,
    },
    clock: {
      now: () => now,
      after: (ms, task) => {
        waits.push(ms);
        queueMicrotask(() => {
          now += Math.max(0, ms);
          task();
        });
        return { cancel: () => undefined };
      },
    },
    ...{ path: "/api/v1/pods", probeMs, signal: stopping.signal, regained: () => undefined },
  });
  await contact.watch();
  expect(waits).toEqual([probeMs, 0, 0]);
});
