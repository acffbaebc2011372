// `make bench`: measures the workloads asked for, tells as it goes, prints a table of each and leaves all of it as JSON.

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";
import { findOvn, OvnMissingError } from "../src/sandbox/find-ovn.ts";
import { coldLines, eventLines, resumptionLines } from "./report/text.ts";
import type { Results } from "./report/results.ts";
import { bench, type WorkloadResult } from "./run/bench.ts";
import { help, type Settings, SettingsError, settingsOf } from "./settings.ts";

const started = performance.now();

function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

function tell(line: string): void {
  print(`  ${String(Math.round((performance.now() - started) / 1000)).padStart(4)} s  ${line}`);
}

async function measure({ runs, out }: Settings): Promise<void> {
  const { version } = await findOvn();
  const [cpu] = cpus();
  const machine = `${availableParallelism()} cores, ${cpu?.model.trim() ?? "unknown CPU"}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  print(`${machine}, Node ${process.versions.node}, OVN ${version}`);
  const load = loadavg()[0] ?? 0;
  const workloads: WorkloadResult[] = [];
  for (const options of runs) {
    const result = await bench(options, tell);
    print("", ...coldLines(result), ...eventLines(result.events), ...resumptionLines(result), "");
    workloads.push(result);
    // After each workload, so that a run that is ended leaves what it has.
    const results: Results = {
      when: new Date().toISOString(),
      machine,
      node: process.versions.node,
      ovn: version,
      load: [load, loadavg()[0] ?? 0],
      workloads,
    };
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, `${JSON.stringify(results, null, 2)}\n`);
  }
  print(`written to ${out}`);
}

if (process.argv.includes("--help")) {
  print(help);
} else {
  try {
    await measure(settingsOf(process.env));
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof OvnMissingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error instanceof SettingsError ? 2 : 3;
  }
}
