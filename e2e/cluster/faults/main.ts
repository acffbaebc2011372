// `make cluster-faults`: does the faults asked for, tells as it goes, prints a table, and leaves it as JSON and in the page.

import { prepareCluster } from "../prepare.ts";
import { keepCachesInClone } from "../../../scripts/support/caches.ts";
import { circumstances, load, measuring, telling, writeResults } from "../../../scripts/support/measuring.ts";
import { SettingsError, Variables } from "../../../scripts/support/variables.ts";
import { clusterFaults } from "./kinds.ts";
import { type Outcome, runFaults } from "./run.ts";
import { intoPage, table } from "./table.ts";

const help = `make cluster-faults [COUNT=10] [ONLY=…] [BASE=<commit>] [OUT=bench/results/cluster-faults.json] [PAGE=docs/real-cluster.md]

Does to Northgate's Deployment, on nodes with kubelets, what goes wrong in life, and counts what becomes of connections meanwhile:
those that a policy allows must come about, and those that a policy denies must not. Writes the table of docs/real-cluster.md.

  COUNT  how often each fault is done
  ONLY   faults whose line holds this text, or several, comma-separated
  BASE   the build before an upgrade; the last tag, or without tags the commit 100 before this one on the main line
  OUT    the results as JSON
  PAGE   whose table is written between its markers; none: no page

Faults:
${clusterFaults.map(({ name, needs }) => `  ${name}${needs === undefined ? "" : ` (only with ONLY; needs ${needs})`}`).join("\n")}

Exit codes: 0 all was right, 1 something was wrong, 2 an argument is wrong, 3 this machine cannot have such a cluster.
`;

const tell = telling((line) => process.stderr.write(line));

async function doAll(env: NodeJS.ProcessEnv): Promise<boolean> {
  const variables = new Variables(env);
  const count = variables.number("COUNT", 10, 999);
  const only = variables.list("ONLY", "");
  const out = variables.text("OUT", "bench/results/cluster-faults.json");
  const page = variables.page("docs/real-cluster.md");
  const chosen = clusterFaults.filter(({ name, needs }) =>
    only.some((part) => name.includes(part) && (part !== "" || needs === undefined)),
  );
  if (chosen.length === 0)
    throw new SettingsError(`ONLY=${only.join()}: no fault is called so; HELP=1 names them`);
  keepCachesInClone();
  const why = prepareCluster();
  if (why !== null) {
    process.stderr.write(`SKIPPED: ${why}\n`);
    process.exit(3);
  }
  const where = await circumstances();
  const outcomes: Outcome[] = [];
  await runFaults(chosen, count, tell, (outcome) => {
    outcomes.push(outcome);
    // After each, so that a run that is ended leaves what it has.
    writeResults(out, { when: new Date().toISOString(), ...where, load: load(), outcomes });
  });
  if (page !== null) await intoPage(page, { ...where, load: load(), outcomes });
  process.stdout.write(table(outcomes));
  return outcomes.every(({ asked, right }) => asked === right);
}

await measuring(help, doAll);
