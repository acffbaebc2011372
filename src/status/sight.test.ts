// The source is lost when a part of it has not answered for longer than the timeout; both edges are logged once.

import { expect, test } from "@jest/globals";
import { LineLogger } from "../../test/support/scripted-api.ts";
import type { SourceContact } from "./sight.ts";
import { Sight } from "./sight.ts";

test("each part must have answered within the time, and both edges are logged once", () => {
  const logger = new LineLogger();
  let nowMs = 0;
  let parts: readonly SourceContact[] = [
    { resource: "pods", contactMs: 0, currentMs: 0, failure: null },
    { resource: "nodes", contactMs: 0, currentMs: 0, failure: null },
  ];
  const clock = { now: () => nowMs };
  const sight = new Sight({ contacts: () => parts, timeoutMs: 30_000, clock, logger });
  nowMs = 30_000;
  expect([sight.isLost, sight.review(), sight.lines()]).toEqual([false, false, []]);
  expect([sight.isCurrent(-1_001), sight.isCurrent(-1_000)]).toEqual([true, false]);
  nowMs = 31_500;
  parts = [
    { resource: "pods", contactMs: 0, currentMs: 0, failure: "connect ECONNREFUSED" },
    { resource: "nodes", contactMs: 31_000, currentMs: 31_000, failure: null },
  ];
  expect(sight.lines()).toEqual(["the source is out of contact: pods for 31 s (connect ECONNREFUSED)"]);
  expect(sight.seconds()).toEqual([
    ["pods", 31.5],
    ["nodes", 0.5],
  ]);
  expect([sight.isLost, sight.review(), sight.review()]).toEqual([true, false, false]);
  expect(sight.isCurrent(-Infinity)).toBe(false);
  parts = [{ resource: "pods", contactMs: 31_500, currentMs: 31_500, failure: null }];
  expect([sight.isLost, sight.review(), sight.review()]).toEqual([false, true, false]);
  // Its holder may have lost the source with us, and gets it back in the same moment.
  expect([sight.isCurrent(-Infinity), sight.isCurrent(0)]).toEqual([true, false]);
  nowMs = 33_000;
  parts = [{ resource: "pods", contactMs: 33_000, currentMs: 33_000, failure: null }];
  expect([sight.isCurrent(0), sight.isCurrent(32_000)]).toEqual([true, false]);
  expect(logger.said.map(([level, text]) => `${level} ${text}`)).toEqual([
    "warn the source is out of contact: its objects may be others than those known",
    "info the source is in contact again",
  ]);
});
