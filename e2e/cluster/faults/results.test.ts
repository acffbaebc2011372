// What `make cluster-faults` says of its faults, without a cluster: sums, the table, and its place in the page.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { outcomeOf, type Sample } from "./run.ts";
import { intoPage, table } from "./table.ts";

const sample = (more: Partial<Sample> = {}): Sample => ({
  ...{ took: 100, made: 20, lost: 0, stopped: 3, letThrough: 0 },
  ...more,
});

test("a time in which a connection was lost or let through, or that failed, is not right", () => {
  const came = [sample(), sample({ lost: 1 }), sample({ letThrough: 2, took: 900 }), "no replica writes"];
  expect(outcomeOf({ name: "a fault" }, 4, came)).toEqual({
    ...{ name: "a fault", asked: 4, right: 1, made: 60, lost: 1, stopped: 9, letThrough: 2 },
    takeover: { min: 100, median: 100, worst: 900 },
    failures: ["no replica writes"],
  });
});

test("the table says how many were right, and has no time where no other replica had to write", () => {
  const lines = table([
    outcomeOf({ name: "one" }, 2, [sample({ took: 1500 }), sample({ took: 2500, lost: 4 })]),
    outcomeOf({ name: "two" }, 1, [sample({ took: null })]),
  ]).split("\n");
  expect(lines.slice(2)).toEqual([
    "| one | 2, 1 | 40, 4 | 6, 0 | 1.50 s / 2.50 s |",
    "| two | 1, all | 20, 0 | 3, 0 | – |",
    "",
  ]);
});

test("it is written between its markers, and a page without them is refused", async () => {
  const dir = mkdtempSync(join(tmpdir(), "ng-page-"));
  const page = join(dir, "page.md");
  const results = { machine: "2 cores", node: "24.0.0", ovn: "25.03.0", load: 1, outcomes: [] };
  try {
    writeFileSync(
      page,
      "# Page\n\n<!-- cluster-faults: begin -->\nold\n<!-- cluster-faults: end -->\n\nEnd\n",
    );
    await intoPage(page, results);
    const text = readFileSync(page, "utf8");
    expect(text).toMatch(
      /^# Page\n\n<!-- cluster-faults: begin -->\n\n2 cores; Node 24\.0\.0, OVN 25\.03\.0/,
    );
    expect(text).toMatch(/<!-- cluster-faults: end -->\n\nEnd\n$/);
    expect(text).not.toContain("old");
    writeFileSync(page, "# Page\n");
    await expect(intoPage(page, results)).rejects.toThrow("no <!-- cluster-faults: begin -->");
    expect(readFileSync(page, "utf8")).toBe("# Page\n");
  } finally {
    rmSync(dir, { recursive: true });
  }
});
