// Probes of a resource by a clock that is a number: when they are sent, and which of their answers are contact.

import { expect, test } from "@jest/globals";
import { Contact } from "./contact.ts";

const probeMs = 10;

/** A server that takes `answerMs` for each probe; `during`: what happens meanwhile. */
function scripted({ answerMs, status }: { answerMs: number; status: number }) {
  const stopping = new AbortController();
  const waits: number[] = [];
  const during: (() => void)[] = [];
  const clock = { nowMs: 0 };
  const contact = new Contact({
    api: {
      request: () => {
        clock.nowMs += answerMs;
        during.shift()?.();
        if (during.length === 0) stopping.abort();
        return Promise.resolve({ status, headers: new Map(), body: "" });
      },
      stream: () => Promise.reject(new Error("nothing is watched")),
      requests: 0,
      close: () => undefined,
    },
    clock: {
      now: () => clock.nowMs,
      after: (ms, task) => {
        waits.push(ms);
        queueMicrotask(() => {
          clock.nowMs += Math.max(0, ms);
          task();
        });
        return { cancel: () => undefined };
      },
    },
    ...{ path: () => "/api/v1/pods", probeMs, signal: stopping.signal, regained: () => undefined },
  });
  return { contact, waits, during, clock };
}
const nothing = () => undefined;

test("a probe that was answered later than the next one was due waits for no negative time, which Node warns of on the log", async () => {
  const { contact, waits, during } = scripted({ answerMs: 25, status: 500 });
  during.push(nothing, nothing, nothing);
  await contact.watch();
  expect(waits).toEqual([probeMs, 0, 0]);
});

test("the answer to a probe is contact only where one watch was open all the while", async () => {
  const { contact, during } = scripted({ answerMs: 1, status: 200 });
  const current: number[] = [];
  const look = () => current.push(contact.currentMs);
  during.push(
    () => {
      look();
      // It was accepted after this probe was sent.
      contact.opened();
    },
    () => {
      look();
      contact.ended();
    },
    () => {
      look();
      contact.opened();
      contact.ended();
    },
    () => {
      look();
      contact.opened();
    },
    look,
    look,
  );
  await contact.watch();
  // The fifth probe was sent at once, as the watch was opened; its answer came 1 ms later.
  const never = -Infinity;
  expect(current.slice(0, 5)).toEqual([never, never, never, never, never]);
  expect(current[5]).toBeGreaterThan(0);
  expect(contact.lastMs).toBe(contact.currentMs);
});

test("a page of a list is an answer, and says nothing of the rest", () => {
  const { contact, clock } = scripted({ answerMs: 1, status: 200 });
  clock.nowMs = 5;
  contact.answered();
  expect([contact.lastMs, contact.currentMs]).toEqual([5, -Infinity]);
  clock.nowMs = 6;
  contact.met();
  expect([contact.lastMs, contact.currentMs]).toEqual([6, 6]);
});
