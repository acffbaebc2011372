// What is published of runs: the page that has their tables, and beside it a folder of the page's name with the results as JSON, the logs
// by which they can be checked, and upstream's own reports. Results of suites, families and clusters that were not run stay.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { intoPage, writeFormatted } from "./page.ts";
import { sha256 } from "./provenance.ts";
import type { SuiteRun, SuiteTest } from "./results.ts";
import { isSameKind, parseResults, type Results } from "./results-table.ts";

/** `folder`: where the runs left their logs. Throws when a log is not there, or is not the one of its run. */
export async function publish(page: string, results: Results, folder: string): Promise<void> {
  const beside = page.replace(/\.md$/, "");
  const [file, logs, reports] = [join(beside, "results.json"), join(beside, "logs"), join(beside, "reports")];
  for (const one of [logs, reports]) mkdirSync(one, { recursive: true });
  const earlier = existsSync(file) ? parseResults(readFileSync(file, "utf8")).runs : [];
  const isReplaced = (run: SuiteRun) => results.runs.some((one) => isSameKind(one, run));
  const runs = [...earlier.filter((run) => !isReplaced(run)), ...results.runs.map(withoutWords)];
  for (const log of results.runs.flatMap((run) => run.logs ?? []))
    keepLog(join(folder, log.name), join(logs, `${log.name}.gz`), log.sha256);
  removeOthers(logs, new Set(runs.flatMap((run) => (run.logs ?? []).map(({ name }) => `${name}.gz`))));
  for (const name of namesOf(results.runs))
    if (existsSync(join(folder, `${name}-report.yaml`)))
      writeFileSync(join(reports, `${name}.yaml`), readFileSync(join(folder, `${name}-report.yaml`)));
  removeOthers(reports, new Set(namesOf(runs).map((name) => `${name}.yaml`)));
  const published = { ...results, runs };
  await writeFormatted(file, JSON.stringify(published));
  await intoPage(page, published);
}

/** What their files are named by. */
function namesOf(runs: readonly SuiteRun[]): readonly string[] {
  return runs.flatMap(({ logs: [log] = [] }) => (log === undefined ? [] : [log.name.replace(/\.log$/, "")]));
}

/** The log may have been published before, and its folder be empty since. */
function keepLog(from: string, to: string, sum: string): void {
  const isHere = existsSync(from);
  if (!isHere && !existsSync(to)) throw new Error(`${from} is not there: no results without their log`);
  const log = isHere ? readFileSync(from) : gunzipSync(readFileSync(to));
  if (sha256(log) !== sum) throw new Error(`${isHere ? from : to} is not the log of this run`);
  if (isHere) writeFileSync(to, gzipSync(log, { level: 9 }));
}

function removeOthers(folder: string, names: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(join(folder, name));
}

/** What tests wrote is in the logs. */
function withoutWords(run: SuiteRun): SuiteRun {
  const silent = (test: SuiteTest): SuiteTest => ({
    ...test,
    output: "",
    again: test.again.map((one) => ({ ...one, output: "" })),
  });
  return { ...run, tests: run.tests.map(silent) };
}
