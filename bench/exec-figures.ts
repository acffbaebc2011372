// `make figures FROM=exec`: measures the workloads from exec RUNS times, and writes the first tables of docs/performance.md. In each
// run every workload starts once, has its updates, and then some of its pods are replaced. Exit codes are those of `make bench`; 1 too when the page has no
// place for the tables.

import { readFileSync } from "node:fs";
import { measuring, telling } from "../scripts/support/measuring.ts";
import { Variables } from "../scripts/support/variables.ts";
import { runExec } from "./exec/run.ts";
import { execPage, execPart, type ExecResults, execTables } from "./report/exec.ts";
import { writeFigures } from "./report/page.ts";
import { settingsOf } from "./settings.ts";

const help = `make figures FROM=exec [RUNS=3] [W=W1,W1-calico,W2,N,P-np,W4] [SHARED=W2] [LARGEST=10000] [PATIENCE=600]

Measures each workload RUNS times from exec, as make bench FROM=exec does with COLD=1, and writes docs/performance.md. Three
runs take half an hour to an hour on two quiet cores. Each run leaves bench/results/exec-<run>.json; make figures FROM="<these files>" writes
the page again without measuring.

  SHARED   workloads that are measured with --address-sets shared too
  LARGEST  pods that are replaced, at the most

Exit codes: 0 written, 1 rows were wrong or a process failed, 2 an argument is wrong, 3 no OVN to be had.
`;

const print = (text: string): void => {
  process.stdout.write(text);
};

async function measure(env: NodeJS.ProcessEnv): Promise<boolean> {
  const variables = new Variables(env);
  const asked = (workloads: string, mode: string) => {
    const given = { COLD: "1", LARGEST: "10000", PATIENCE: "600", ...env, W: workloads, MODE: mode };
    const { runs, updates } = settingsOf(given);
    return runs.map((run) => ({ ...run, updates, replaced: run.largest }));
  };
  const options = [
    ...asked(variables.text("W", "W1,W1-calico,W2,N,P-np,W4"), "central"),
    ...asked(variables.text("SHARED", "W2"), "shared"),
  ];
  const tell = telling(print);
  const files = Array.from(
    { length: variables.number("RUNS", 3, 99) },
    (_, run) => `bench/results/exec-${run + 1}.json`,
  );
  for (const [run, file] of files.entries()) {
    tell(`run ${run + 1} of ${files.length}`);
    await runExec(options, file, print, tell);
  }
  const results = files.map((file) => JSON.parse(readFileSync(file, "utf8")) as ExecResults);
  const complaint = await writeFigures(execPage, execTables(results), execPart);
  print(`${complaint ?? `${execPage} is written`}\n`);
  return complaint === null;
}

await measuring(help, measure);
