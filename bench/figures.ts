// `make figures`: writes the tables of docs/performance-figures.md, between its markers, and the charts in docs/img/ from the JSON
// that `make bench` left; of runs of workload P alone, or from exec, their tables in docs/performance.md. Changes nothing outside the markers. Exit codes: 0 written, 2 nothing to write from.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execPage, execPart, type ExecResults, execTables } from "./report/exec.ts";
import { manyTable } from "./report/many.ts";
import { render } from "./report/markdown.ts";
import { writeFigures } from "./report/page.ts";
import type { Results } from "./report/results.ts";

const page = "docs/performance-figures.md";
const pageOfMany = "docs/performance.md";

async function write(files: readonly string[]): Promise<string | null> {
  const missing = files.filter((file) => !existsSync(file));
  if (files.length === 0 || missing.length > 0) {
    return `no results: ${missing.join(", ")}; say make figures FROM="bench/results/W1+W2-central.json …"`;
  }
  const read = files.map((file) => JSON.parse(readFileSync(file, "utf8")) as Results | ExecResults);
  if (read.every(isFromExec)) return await writeFigures(execPage, execTables(read), execPart);
  const runs = read.filter((run): run is Results => !isFromExec(run));
  const isOfMany = ({ workloads }: Results) => workloads.every(({ workload: { kind } }) => kind === "many");
  if (runs.every(isOfMany)) return await writeFigures(pageOfMany, manyTable(runs), "P");
  const { markdown, charts } = render(runs);
  const complaint = await writeFigures(page, markdown);
  if (complaint !== null) return complaint;
  mkdirSync("docs/img", { recursive: true });
  for (const [name, svg] of charts) writeFileSync(join("docs/img", name), svg);
  process.stdout.write(`${page}, ${charts.size} charts\n`);
  return null;
}

function isFromExec(run: Results | ExecResults): run is ExecResults {
  return run.workloads.every((one) => "starts" in one);
}

const complaint = await write(process.argv.slice(2));
if (complaint !== null) {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = 2;
}
