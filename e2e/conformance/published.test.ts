// What is published of a run keeps what others have, has each log by its checksum, and no results without their log.

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { publish } from "./published.ts";
import type { SuiteRun } from "./results.ts";
import { parseResults, type Results } from "./results-table.ts";

let dir = "";
let page = "";
let folder = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ng-published-"));
  [page, folder] = [join(dir, "page.md"), join(dir, "logs-of-runs")];
  mkdirSync(folder);
  writeFileSync(page, "# Page\n\n<!-- conformance: begin -->\n<!-- conformance: end -->\n\nEnd\n");
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

/** Leaves the log of the run too. */
function ran(suite: string, families: string, log: string): SuiteRun {
  const name = `${suite}-${families}.log`;
  writeFileSync(join(folder, name), log);
  const test = { name: `Test of ${suite} ${families}`, seconds: 1, output: log, failedParts: [] };
  return {
    ...{ suite, families, commit: "abc", when: "2026-11-27T20:00:00Z", seconds: 60, load: 1, broken: null },
    logs: [{ name, sha256: createHash("sha256").update(log).digest("hex") }],
    tests: [{ ...test, outcome: "failed", again: [{ ...test, outcome: "passed" }] }],
  };
}

const results = (...runs: readonly SuiteRun[]): Results => ({
  ...{ machine: "2 cores", node: "24", ovn: "25.03", sctp: "kernel", runs },
});
const stored = () => parseResults(readFileSync(join(dir, "page", "results.json"), "utf8"));
const filesIn = (name: string) => readdirSync(join(dir, "page", name)).sort();

test("a later run of one suite leaves the others in the page, and replaces its own", async () => {
  writeFileSync(join(folder, "anp-ipv4-report.yaml"), "kind: ConformanceReport\n");
  await publish(page, results(ran("anp", "ipv4", "one"), ran("cnp", "ipv4", "two")), folder);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  await publish(page, results(ran("cnp", "ipv4", "three"), ran("cnp", "ipv6", "four")), folder);
  const text = readFileSync(page, "utf8");
  for (const word of ["Test of anp ipv4", "Test of cnp ipv4", "Test of cnp ipv6", "# Page", "End"])
    expect(text).toContain(word);
  expect(stored().runs.map(({ suite, families }) => [suite, families])).toEqual([
    ["anp", "ipv4"],
    ["cnp", "ipv4"],
    ["cnp", "ipv6"],
  ]);
  expect(filesIn("logs")).toEqual(["anp-ipv4.log.gz", "cnp-ipv4.log.gz", "cnp-ipv6.log.gz"]);
  const log = gunzipSync(readFileSync(join(dir, "page", "logs", "cnp-ipv4.log.gz")));
  expect(log.toString()).toBe("three");
  expect(text).toContain(createHash("sha256").update(log).digest("hex"));
  expect(filesIn("reports")).toEqual(["anp-ipv4.yaml"]);
});

test("the words of tests are in the logs alone, and a log that no run has is removed", async () => {
  await publish(page, results(ran("anp", "ipv4", "some words")), folder);
  expect(readFileSync(join(dir, "page", "results.json"), "utf8")).not.toContain("some words");
  writeFileSync(join(dir, "page", "logs", "other.log.gz"), "");
  await publish(page, results(ran("anp", "ipv4", "some words")), folder);
  expect(filesIn("logs")).toEqual(["anp-ipv4.log.gz"]);
});

test("no results without their log, or with the log of another run", async () => {
  const run = ran("anp", "ipv4", "one");
  writeFileSync(join(folder, "anp-ipv4.log"), "two");
  await expect(publish(page, results(run), folder)).rejects.toThrow("is not the log of this run");
  rmSync(join(folder, "anp-ipv4.log"));
  await expect(publish(page, results(run), folder)).rejects.toThrow("no results without their log");
});
