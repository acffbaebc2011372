// The checks of a node's packet filter: each fault is planted once, in a node that is well otherwise.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Examination } from "../../../backend-kind.ts";
import { systemClock } from "../../../lib/clock.ts";
import { FilterLostError } from "../../live/filter-tools.ts";
import { examineNode } from "./examine.ts";
import { isLocked, NodeLock } from "../node-lock.ts";
import type { OpenNodeSide } from "../node-side.ts";

let folder: string;
let read: () => Promise<boolean>;
let notes: readonly string[];
let isHeld: boolean;
let stopped: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-examine-"));
  read = () => Promise.resolve(true);
  [notes, isHeld, stopped] = [[], true, 0];
});
afterEach(() => {
  expect(stopped).toBe(1);
  rmSync(folder, { recursive: true });
});

const open = (() => ({
  filter: { read: () => read() },
  notes: () => notes,
  stop: () => {
    stopped++;
  },
})) as unknown as OpenNodeSide;

const examination: Examination = {
  settings: { remotes: "", tls: null, zone: "n", families: null, kindFlags: {}, backendFlags: {} },
  ...{ dialects: [], owners: new Map(), pods: () => Promise.resolve([]), clock: systemClock },
};

async function failed(): Promise<readonly (readonly [string, string])[]> {
  const files = { proc: join(folder, "proc"), sys: join(folder, "sys") };
  const found = await examineNode(examination, open, { files, isLocked: () => Promise.resolve(isHeld) });
  expect([...new Set(found.map(({ check }) => check))]).toEqual(["packet-filter", "traffic", "writer"]);
  return found.filter(({ state }) => state === "fail").map(({ check, text }) => [check, text]);
}

test("a node that is well has no fault", async () => {
  expect(await failed()).toEqual([]);
});

test("tools that do not answer", async () => {
  read = () => Promise.reject(new FilterLostError("nft: not found"));
  expect(await failed()).toEqual([["packet-filter", "nft: not found"]]);
});

test("what is amiss beside the rules", async () => {
  notes = ["another program writes to the table"];
  expect(await failed()).toEqual([["packet-filter", "another program writes to the table"]]);
});

test("traffic that passes no rule", async () => {
  mkdirSync(join(folder, "proc", "net"), { recursive: true });
  writeFileSync(join(folder, "proc", "net", "ip_vs"), "TCP  0A600001:01BB rr\n");
  expect(await failed()).toEqual([
    ["traffic", "kube-proxy is in IPVS mode, whose connections pass no rule of FORWARD"],
  ]);
});

test("no instance writes", async () => {
  isHeld = false;
  expect(await failed()).toEqual([["writer", "no instance on this node writes: its rules follow nothing"]]);
});

test("a lock that is held is seen without being taken", async () => {
  const lock = new NodeLock(systemClock, () => undefined);
  try {
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([await isLocked(), await isLocked()]).toEqual([true, true]);
  } finally {
    await lock.release();
  }
  expect(await failed()).toEqual([]);
});
