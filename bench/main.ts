// `make bench`: measures the workloads asked for, tells as it goes, prints a table of each and leaves all of it as JSON.

import { circumstances, load, measuring, telling, writeResults } from "../scripts/support/measuring.ts";
import { coldLines, eventLines, resumptionLines } from "./report/text.ts";
import { reachLines } from "./report/reach.ts";
import type { Results } from "./report/results.ts";
import { bench, type WorkloadResult } from "./run/bench.ts";
import { help, type Settings, settingsOf } from "./settings.ts";

const tell = telling((line) => process.stdout.write(line));

function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

async function measure({ runs, out }: Settings): Promise<boolean> {
  const where = await circumstances();
  print(`${where.machine}, Node ${where.node}, OVN ${where.ovn}`);
  const before = load();
  const workloads: WorkloadResult[] = [];
  for (const options of runs) {
    const result = await bench(options, tell);
    print(
      "",
      ...coldLines(result),
      ...eventLines(result.events),
      ...reachLines(result),
      ...resumptionLines(result),
      "",
    );
    workloads.push(result);
    // After each workload, so that a run that is ended leaves what it has.
    const results: Results = { when: new Date().toISOString(), ...where, load: [before, load()], workloads };
    writeResults(out, results);
  }
  print(`written to ${out}`);
  return true;
}

await measuring(help, (env) => measure(settingsOf(env)));
