// What the world does is no reason to be restarted; a bug of ours is.

import { describe, expect, test } from "@jest/globals";
import type { Checked } from "./checks.ts";
import { checksOf } from "./checks.ts";

const fine: Checked = {
  running: { role: { leads: true, other: null, otherFlags: () => [] }, pending: () => [] },
  loop: { synced: true, reconciled: true, heldBack: null },
  source: { pending: () => [] },
  sight: { lines: () => [] },
  isBroken: () => false,
  notes: () => [],
};

describe("health", () => {
  test.each<[string, Partial<Checked>]>([
    ["nothing is wrong", {}],
    [
      "the database is away",
      { running: { ...fine.running, pending: () => ["database: connect ECONNREFUSED"] } },
    ],
    ["the API server is away", { source: { pending: () => ["pods: connect ECONNREFUSED"] } }],
    ["nothing was ever synced or written", { loop: { ...fine.loop, synced: false, reconciled: false } }],
    ["the source is empty", { loop: { ...fine.loop, heldBack: "the source is empty" } }],
  ])("is well when %s", (_when, changed) => {
    expect(checksOf({ ...fine, ...changed }).health()).toEqual([]);
  });

  test("fails when a bug of ours has ended the work, and so does readiness", () => {
    const checks = checksOf({ ...fine, isBroken: () => true });
    expect(checks.health()).toEqual(["a bug of Northgate's has ended its work"]);
    expect(checks.readiness()).toEqual(["a bug of Northgate's has ended its work"]);
  });
});

test("an instance that stands by is ready, and says so", () => {
  const loop = { ...fine.loop, reconciled: false };
  const checks = checksOf({
    ...fine,
    loop,
    running: { ...fine.running, role: { ...fine.running.role, leads: false, other: "node-1 pid 7" } },
  });
  expect(checks.readiness()).toEqual([]);
  expect(checks.notes()).toEqual(["standby: node-1 pid 7 writes"]);
  const undecided = checksOf({
    ...fine,
    loop,
    running: { ...fine.running, role: { ...fine.running.role, leads: false } },
  });
  expect(undecided.readiness()).toEqual(["the first reconciliation is not done"]);
  expect(undecided.notes()).toEqual([]);
});

test("notes are told as they are and fail nothing", () => {
  const checks = checksOf({ ...fine, notes: () => ["no policy is enforced"] });
  expect([checks.health(), checks.readiness(), checks.notes()]).toEqual([[], [], ["no policy is enforced"]]);
});

describe("readiness", () => {
  test.each<[Partial<Checked>, readonly string[]]>([
    [{}, []],
    [
      { running: { ...fine.running, pending: () => ["database: not connected yet"] } },
      ["database: not connected yet"],
    ],
    [{ source: { pending: () => ["pods: forbidden"] } }, ["pods: forbidden"]],
    [
      { loop: { ...fine.loop, synced: false, reconciled: false } },
      ["sources are not synced", "the first reconciliation is not done"],
    ],
    [
      { loop: { ...fine.loop, reconciled: false, heldBack: "the source is empty" } },
      ["the source is empty", "the first reconciliation is not done"],
    ],
  ])("%j: %j", (changed, lines) => {
    expect(checksOf({ ...fine, ...changed }).readiness()).toEqual(lines);
  });
});
