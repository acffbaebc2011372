// `make conformance`: builds what is missing, and lets each suite judge the program on a cluster of its own. What each said
// goes to a folder; what came of it, as a table, to whoever runs this, as JSON, and into docs/conformance.md when asked.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepCachesInClone } from "../../scripts/support/caches.ts";
import { circumstances, measuring, telling, writeResults } from "../../scripts/support/measuring.ts";
import { type Build, built } from "../builds.ts";
import { startCluster } from "./cluster.ts";
import { joinParts } from "./joined-parts.ts";
import { asShipped } from "./northgate.ts";
import { prepareCluster } from "../cluster/prepare.ts";
import { startForSuites } from "../cluster/for-suites.ts";
import { missingPrograms, missingRights, pathOf, programOf, type SuiteName } from "./programs.ts";
import { commitHere, programIn } from "./provenance.ts";
import { publish } from "./published.ts";
import { complaintsOf, type SuiteRun, verdictOf } from "./results.ts";
import { parseResults, type Results, type Sctp, textTable } from "./results-table.ts";
import { help, isOf, keptRuns, nameOf, partsToRun, type Settings, settingsOf } from "./run-settings.ts";
import { auditFlags } from "./samples/probes.ts";
import { isNamedRight, reportText, samplingFlag, watchRun } from "./samples/report.ts";
import { judge } from "./suite-run.ts";
import { suiteFacts, testsOf } from "./suites.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
keepCachesInClone();
const tell = telling((line) => process.stderr.write(line));

/** Null: everything is there; else why it cannot be had on this machine. */
function prepare({ suites, cluster }: Settings): string | null {
  const programs = ["agnhost", "kube-controller-manager", ...suites.map(programOf)];
  const builds: readonly Build[] = [
    ["e2e/controlplane/build.sh"],
    ["e2e/suites/build.sh", join(repository, ".cache", "conformance"), ...programs],
    ["e2e/node-agent/build.sh"],
  ];
  const why = missingRights() ?? built(builds) ?? missingPrograms(suites);
  return why ?? (cluster === "real" ? prepareCluster() : null);
}

/** On a cluster of its own, which is watched where the settings say so. */
async function start(settings: Settings, name: string) {
  const { cluster, families, backend, northgateArgs, samples, folder } = settings;
  if (cluster === "real") return { cluster: await startForSuites(tell), watched: null };
  const args = ["--enable-network-policy=true", ...(samples ? [samplingFlag] : []), ...northgateArgs];
  const started = await startCluster({
    ...{ northgate: { command: asShipped, args }, families, backend },
    ...(samples ? { apiServerArgs: auditFlags } : {}),
  });
  try {
    return { cluster: started, watched: samples ? await watchRun(started, folder, name) : null };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** One run of a suite on a cluster of its own. `ended` gets the run, or each part of it that `had` does not have. False: samples named a wrong rule. */
async function run(
  suite: SuiteName,
  settings: Settings,
  number: number,
  had: readonly SuiteRun[],
  ended: (run: Awaited<ReturnType<typeof judge>>) => Promise<void>,
): Promise<boolean> {
  const { folder, only } = settings;
  const parts = partsToRun(suite, settings, had);
  if (parts.length === 0) return true;
  const name = nameOf(suite, settings, number);
  tell(`${name}: starting a cluster`);
  const { cluster, watched } = await start(settings, name);
  try {
    tell(`${name}: ${suiteFacts[suite].source}`);
    for (const part of parts) {
      const nameOfPart = part === null ? name : `${name}-${part.name}`;
      const { kubeconfig } = cluster.plane;
      await ended(await judge({ kubeconfig, suite, name: nameOfPart, folder, only, part, tell }));
    }
    if (watched === null) return true;
    const report = await watched.judged();
    process.stdout.write(reportText(name, report));
    return isNamedRight(report);
  } finally {
    await watched?.end();
    await cluster.stop();
  }
}

async function runAll(settings: Settings): Promise<boolean> {
  const { suites, runs: count, out, page, folder, families, cluster } = settings;
  const why = prepare(settings);
  if (why !== null) {
    process.stderr.write(`SKIPPED: ${why}\n`);
    process.exitCode = 3;
    return false;
  }
  mkdirSync(folder, { recursive: true });
  const where = await circumstances();
  const origin = { commit: commitHere(repository), program: programIn(join(repository, "dist")) };
  const sctp: Sctp =
    readFileSync(`${pathOf("agnhost")}.sctp`, "utf8").trim() === "kernel" ? "kernel" : "replaced";
  let runs = keptRuns(
    existsSync(out) ? parseResults(readFileSync(out, "utf8")).runs : [],
    settings,
    origin.program,
  );
  let areRight = true;
  for (const suite of suites)
    for (let n = 1; n <= count; n++) {
      const isRight = await run(suite, settings, n, runs, async (one) => {
        const whole = { ...one, families, cluster, ...origin };
        runs = [...runs, whole];
        // After each, so that a run that is ended leaves what it has.
        const results: Results = { ...where, sctp, runs };
        writeResults(out, results);
        if (page !== null) await publish(page, results, folder);
        process.stdout.write(textTable({ ...results, runs: [whole] }));
      });
      areRight &&= isRight;
    }
  return judgeAll(runs, settings) && areRight;
}

/** Says what is wrong with what was asked for; whether nothing is. */
function judgeAll(runs: readonly SuiteRun[], settings: Settings): boolean {
  const asked = joinParts(runs.filter((one) => isOf(one, settings)));
  const complaints = settings.suites.flatMap((suite) =>
    asked
      .filter((one) => one.suite === suite)
      .flatMap((one) => complaintsOf(one, testsOf(suite, settings.only), suiteFacts[suite].leftOut)),
  );
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
  const all = asked.flatMap(({ tests }) => tests);
  const passed = all.filter((test) => verdictOf(test) === "passed");
  const late = passed.filter(({ again }) => again.length > 0).length;
  tell(`${passed.length - late} of ${all.length} passed${late === 0 ? "" : `, ${late} passed on a re-run`}`);
  return complaints.length === 0;
}

/** Runs nothing. */
async function publishAll({ from, page, folder }: Settings): Promise<boolean> {
  for (const path of from)
    if (page !== null) await publish(page, parseResults(readFileSync(path, "utf8")), folder);
  return true;
}

await measuring(help, (env) => {
  const settings = settingsOf(env);
  return settings.from.length > 0 ? publishAll(settings) : runAll(settings);
});
