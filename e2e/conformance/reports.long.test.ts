// The reports that are published are what upstream's own types, of the suite's version, read and write, and they say of each test that they
// count what the published results say of its first run.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { keepCachesInClone } from "../../scripts/support/caches.ts";
import { patience } from "../../test/support/patience.ts";
import { findGo } from "../../test/support/upstream.ts";
import { parseResults } from "./results-table.ts";
import { suiteFacts } from "./suites.ts";

interface Status {
  readonly result: string;
  readonly statistics: { readonly Passed: number; readonly Failed: number; readonly Skipped: number };
  readonly failedTests?: readonly string[];
}

interface Report {
  readonly kind: string;
  readonly implementation: { readonly project: string };
  readonly profiles: readonly {
    readonly name: string;
    readonly standard: Status;
    readonly experimental?: Status;
  }[];
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const folder = here("../../docs/conformance");
/** v0.1.7 has two tests of both kinds at once, which count for neither. */
const suites = [
  {
    suite: "anp",
    profiles: ["AdminNetworkPolicy", "BaselineAdminNetworkPolicy"],
    uncounted: ["AdminNetworkPolicyIntegration", "AdminNetworkPolicyPriorityField"],
  },
  { suite: "cnp", profiles: ["ClusterNetworkPolicy"], uncounted: [] },
] as const;

const reportsOf = (suite: string) =>
  readdirSync(join(folder, "reports"))
    .filter((name) => name.startsWith(`${suite}-`) || name === `${suite}.yaml`)
    .map((name) => ({
      name: name.replace(/\.yaml$/, ""),
      text: readFileSync(join(folder, "reports", name), "utf8"),
    }));

const go = findGo(process.env);
if (go === null) {
  const why =
    "reports are compared with upstream's types by Go, and neither PATH nor the usual places have one";
  if (process.env["CI"] === "true") throw new Error(why);
  process.stderr.write(`SKIPPED: ${why}\n`);
}

/** What upstream's types read, in the version of the suite. */
function readByUpstream(suite: string, reports: readonly unknown[]) {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    CGO_ENABLED: "0",
    GOFLAGS: "-mod=readonly",
    GOWORK: "off",
  };
  keepCachesInClone(env);
  return spawnSync(go ?? "", ["run", "../report/check.go"], {
    ...{ cwd: here(`../suites/${suite}`), encoding: "utf8", input: JSON.stringify(reports) },
    ...{ timeout: patience(300_000), env },
  });
}

describe.each(suites)("$suite", ({ suite, profiles, uncounted }) => {
  const reports = reportsOf(suite);
  const parsed = reports.map(({ text }) => parse(text) as Report);

  (go === null ? test.skip : test)(
    "upstream's types read all of it and write the same",
    () => {
      expect(reports.length).toBeGreaterThan(0);
      const { stdout, stderr } = readByUpstream(suite, parsed);
      // Go says which modules it fetches where they are not there yet.
      expect(stderr.split("\n").filter((line) => !/^go: downloading |^$/.test(line))).toEqual([]);
      expect(JSON.parse(stdout)).toEqual(parsed);
      const other = readByUpstream(suite, [{ ...parsed[0], verdict: "good" }]);
      expect(other.status).not.toBe(0);
      expect(other.stderr).toContain('unknown field "verdict"');
    },
    patience(400_000),
  );

  test("each test that it counts has the outcome of the results", () => {
    const { runs } = parseResults(readFileSync(join(folder, "results.json"), "utf8"));
    for (const [at, report] of parsed.entries()) {
      expect(report.kind).toBe("ConformanceReport");
      // In any order: upstream writes what it has in a map.
      expect(report.profiles.map(({ name }) => name).sort()).toEqual(profiles);
      const statuses = report.profiles.flatMap(({ standard, experimental }) => [
        standard,
        ...(experimental === undefined ? [] : [experimental]),
      ]);
      const sum = (of: "Passed" | "Failed" | "Skipped") =>
        statuses.reduce((total, { statistics }) => total + statistics[of], 0);
      expect(sum("Skipped")).toBe(0);
      expect(sum("Passed") + sum("Failed")).toBe(suiteFacts[suite].tests - uncounted.length);
      const run = runs.find(({ logs }) => logs?.[0]?.name === `${reports[at]?.name ?? ""}.log`);
      const counted = (run?.tests ?? []).filter(({ name }) => !uncounted.some((one) => one === name));
      const failed = counted.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
      expect(counted).toHaveLength(suiteFacts[suite].tests - uncounted.length);
      expect(statuses.flatMap(({ failedTests = [] }) => failedTests).sort()).toEqual(failed.sort());
      expect(sum("Failed")).toBe(failed.length);
      for (const { result, statistics } of statuses)
        expect(result).toBe(statistics.Failed === 0 ? "success" : "failure");
    }
  });
});
