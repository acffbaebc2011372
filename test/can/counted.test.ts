// The work of can and of matrix is counted on a cluster of 10,000 pods and 500 policies: pairs of kinds of ends, never of pods, and
// what decides is worked out once for all pairs that meet the same rules.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { can } from "../../src/can/can.ts";
import { askedWorldOf } from "../../src/cli/worlds/asked-world.ts";
import { readCanConfig } from "../../src/config/answers/can.ts";
import { Crossings } from "../../src/crossings/crossings.ts";
import { allTraffic } from "../../src/crossings/ports-asked.ts";
import type { AskedWorld } from "../../src/explain/asked.ts";
import { cellsOf } from "../../src/matrix/cells.ts";
import { outsidePlace } from "../../src/matrix/matrix.ts";
import { writeLargeCluster } from "../support/large-cluster.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(120_000));

let folder: string;
let asked: AskedWorld;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ng-counted-"));
  writeLargeCluster(folder);
  const { world } = readCanConfig({ flags: { filename: [folder], all: ["true"] }, environment: {} });
  asked = (await askedWorldOf(world, [])).asked;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("there are 10,000 pods and 500 policies", () => {
  expect(asked.facts.pods.size).toBe(10_000);
  expect(asked.policies.filter(({ ref }) => ref.group !== "")).toHaveLength(500);
});

test("one end is a pair with each kind of the others", () => {
  const { families } = new Crossings(asked, { networks: [], ports: allTraffic });
  for (const family of families) {
    const [to] = family.classes("to").filter(({ pods }) => pods.some(({ key }) => key === "ns3/app1-63"));
    const sources = family.classes("from");
    if (to !== undefined) for (const from of sources) family.between(from, to);
    expect(sources.length).toBeLessThan(1_000);
    expect(family.work.pairs).toBeLessThanOrEqual(sources.length);
    expect(family.work.asked).toBe(0);
  }
});

test("an answer has few groups, of all pods", () => {
  const { groups } = can(asked, { from: null, to: "ns3/app1-63", protocol: "tcp", port: 5012 });
  expect(groups.reduce((sum, { from }) => sum + from.pods, 0)).toBe(9_999);
  expect(groups.length).toBeLessThan(150);
});

test("a matrix looks at each pair of kinds once for each pair of places, and works out few of them", () => {
  const { families } = new Crossings(asked, { networks: [], ports: allTraffic });
  const pod = (key: string) => key.slice(0, key.indexOf("/"));
  const cells = cellsOf(families, { pod, workload: (one) => one.namespace }, outsidePlace);
  // 60 namespaces and what is outside, without the outside to itself.
  expect(cells).toHaveLength(61 * 61 - 1);
  for (const family of families) {
    const [sources, targets] = [family.classes("from"), family.classes("to")];
    expect(family.work.pairs).toBeLessThanOrEqual(2 * sources.length * targets.length);
    expect(family.work.made).toBeLessThan(Math.max(10, family.work.pairs / 4));
    expect(family.work.asked).toBe(0);
  }
});
