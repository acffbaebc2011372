// The figures of docs/soak.md and their plot: only what stands between the markers is replaced, and a failed run is shown
// as one.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type SoakRun, writePage } from "../../soak/report/page.ts";

let folder: string;
let page: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-page-"));
  page = join(folder, "soak.md");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const run: SoakRun = {
  ...{ when: "2026-11-22T02:00:00.000Z", machine: "2 cores", node: "24", ovn: "25.03.0", load: [1, 2] },
  result: {
    options: { durationMs: 900_000, faultEveryMs: 1, sampleMs: 1, changesPerSecond: 10, seed: 1 },
    changes: 9_000,
    samples: Array.from({ length: 100 }, (_, at) => ({
      ...{ atMs: at * 9_000, heapBytes: 4e7 + (at % 7) * 1e6, rssBytes: 1e8, descriptors: 22 },
      ...{ lagP99Ms: 1, lagMaxMs: 2, isHeld: at === 50, queueDepth: 0, cacheRows: 9, operations: at },
    })),
    missedSamples: 0,
    faults: [{ name: "NB paused", atMs: 1_000, tookMs: 4_000, failure: null }],
    verdicts: [{ what: "resident memory", found: "1 → 2", wanted: "at most +0.5", isGood: false }],
  },
};

test("the figures are written between the markers, with a plot of numbers", async () => {
  writeFileSync(page, "# Page\n\n<!-- figures: begin -->\n\nold\n\n<!-- figures: end -->\n\nRest.\n");
  expect(await writePage(page, run)).toBeNull();
  const text = readFileSync(page, "utf8");
  expect(text).toMatch(/^# Page\n\n<!-- figures: begin -->\n\n\*\*15 min run of 2026-11-22: not good\.\*\*/);
  expect(text).toMatch(/\n<!-- figures: end -->\n\nRest\.\n$/);
  expect(text).not.toContain("old");
  expect(text).toMatch(/\| resident memory +\| 1 → 2 +\| at most \+0\.5 +\| \*\*no\*\*/);
  const plot = readFileSync(join(folder, "soak.svg"), "utf8");
  expect(plot.match(/<polyline/g)).toHaveLength(6);
  expect(plot).not.toMatch(/NaN|Infinity|undefined/);
});

test("a page without markers is left as it is", async () => {
  writeFileSync(page, "# Page\n");
  expect(await writePage(page, run)).toContain("no <!-- figures: begin -->");
  expect(readFileSync(page, "utf8")).toBe("# Page\n");
});
