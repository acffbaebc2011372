// `make bench FROM=exec`: the shipped program from its start until the rows are right, beside an API server that serves objects
// of real sizes over TLS, and what it holds after many changes. Settings and exit codes are those of `make bench`.

import { circumstances, load, measuring, telling, writeResults } from "../scripts/support/measuring.ts";
import { type ExecResult, measureExec } from "./exec/measure.ts";
import { execLines } from "./exec/text.ts";
import { help, settingsOf } from "./settings.ts";

const tell = telling((line) => process.stdout.write(line));

async function measure(env: NodeJS.ProcessEnv): Promise<boolean> {
  const { runs, out, updates } = settingsOf(env);
  const where = await circumstances();
  process.stdout.write(`${where.machine}, Node ${where.node}, OVN ${where.ovn}\n`);
  const before = load();
  const workloads: ExecResult[] = [];
  for (const { workload, mode, coldStarts, largest: replaced, patienceMs } of runs) {
    const result = await measureExec({ workload, mode, coldStarts, patienceMs, updates, replaced }, tell);
    process.stdout.write(`\n${execLines(result).join("\n")}\n\n`);
    workloads.push(result);
    const name = out.replace(/\.json$/, "-exec.json");
    writeResults(name, { when: new Date().toISOString(), ...where, load: [before, load()], workloads });
  }
  return true;
}

await measuring(help, measure);
