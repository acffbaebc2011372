// Workloads from exec, one after the other: each is printed when it is measured, and what there is so far is left as JSON.

import { circumstances, load, writeResults } from "../../scripts/support/measuring.ts";
import type { ExecResults } from "../report/exec.ts";
import { type ExecOptions, type ExecResult, measureExec } from "./measure.ts";
import { execLines } from "./text.ts";

/** `out`: the file of the results. `print` is given whole lines, `tell` one line without its end. */
export async function runExec(
  runs: readonly ExecOptions[],
  out: string,
  print: (text: string) => void,
  tell: (line: string) => void,
): Promise<void> {
  const where = await circumstances();
  print(`${where.machine}, Node ${where.node}, OVN ${where.ovn}\n`);
  const before = load();
  const workloads: ExecResult[] = [];
  for (const options of runs) {
    const result = await measureExec(options, tell);
    print(`\n${execLines(result).join("\n")}\n\n`);
    workloads.push(result);
    const results: ExecResults = {
      ...{ when: new Date().toISOString(), ...where },
      ...{ load: [before, load()], workloads },
    };
    writeResults(out, results);
  }
}
