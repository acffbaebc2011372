// `make conformance`: builds what is missing, and lets each suite judge the program on a cluster of its own. What each said
// goes to a folder; what came of it, as a table, to whoever runs this, as JSON, and into docs/conformance.md when asked.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepCachesInClone } from "../../scripts/support/caches.ts";
import { circumstances, load, measuring, telling, writeResults } from "../../scripts/support/measuring.ts";
import { commitHere, sha256Of } from "./provenance.ts";
import { type Build, built } from "../builds.ts";
import { startCluster } from "./cluster.ts";
import { asShipped } from "./northgate.ts";
import { intoPage } from "./page.ts";
import { missingPrograms, missingRights, pathOf, programOf, type SuiteName } from "./programs.ts";
import { complaintsOf, type SuiteRun, type SuiteTest, type TestResult, verdictOf } from "./results.ts";
import { parseResults, type Results, type Sctp, textTable } from "./results-table.ts";
import { help, keptRuns, nameOf, type Settings, settingsOf } from "./run-settings.ts";
import { runSuite } from "./suite-process.ts";
import { mayRunAgain, outputOf, progressOf, suiteFacts, testsOf } from "./suites.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
keepCachesInClone();
const tell = telling((line) => process.stderr.write(line));
/** How often a test that lost a race is run again, at most. */
const mostAgain = 3;

/** Null: everything is there; else why it cannot be had on this machine. */
function prepare(suites: readonly SuiteName[]): string | null {
  const programs = ["agnhost", "kube-controller-manager", ...suites.map(programOf)];
  const builds: readonly Build[] = [
    ["e2e/controlplane/build.sh"],
    ["e2e/suites/build.sh", join(repository, ".cache", "conformance"), ...programs],
    ["e2e/node-agent/build.sh"],
  ];
  return missingRights() ?? built(builds) ?? missingPrograms(suites);
}

/** One run of a suite on a cluster of its own. */
async function run(
  suite: SuiteName,
  { folder, only, families, backend, northgateArgs }: Settings,
  name: string,
  commit: string,
): Promise<SuiteRun> {
  tell(`${name}: starting a cluster`);
  const cluster = await startCluster({
    northgate: { command: asShipped, args: ["--enable-network-policy=true", ...northgateArgs] },
    ...{ families, backend },
  });
  try {
    const progress = progressOf(suite);
    const heard = (line: string): void => {
      const ended = progress(line);
      if (ended !== null) tell(`${name}: ${ended.outcome} ${ended.name}`);
    };
    tell(`${name}: ${suiteFacts[suite].source}`);
    const end = await runSuite(cluster.kubeconfig, suite, {
      folder,
      name,
      heard,
      ...(only === null ? {} : { only }),
    });
    const { tests, broken } = outputOf(suite, end);
    const again: SuiteTest[] = [];
    for (const test of tests)
      again.push({ ...test, again: await runAgain(cluster.kubeconfig, suite, test, folder) });
    return {
      suite,
      ...{ families, commit, log: { name: `${name}.log`, sha256: sha256Of(join(folder, `${name}.log`)) } },
      when: new Date().toISOString(),
      seconds: end.seconds,
      load: load(),
      tests: again,
      broken,
    };
  } finally {
    await cluster.stop();
  }
}

/** Only while each failure is the race that the suite is known for, and until the test passes. */
async function runAgain(
  kubeconfig: string,
  suite: SuiteName,
  test: TestResult,
  folder: string,
): Promise<readonly TestResult[]> {
  const again: TestResult[] = [];
  while (again.length < mostAgain && mayRunAgain(suite, again.at(-1) ?? test)) {
    const name = `${suite}-${test.name}-again-${again.length + 1}`;
    const end = await runSuite(kubeconfig, suite, { folder, name, only: [test.name] });
    const { tests, broken } = outputOf(suite, end);
    const one = tests.find((result) => result.name === test.name);
    if (one === undefined) throw new Error(`${test.name} was run again and said nothing: ${broken ?? ""}`);
    tell(`${suite}: ${one.outcome} ${one.name}, again (${again.length + 1})`);
    again.push(one);
  }
  return again;
}

async function runAll(settings: Settings): Promise<boolean> {
  const { suites, runs: count, out, page, folder, only } = settings;
  const why = prepare(suites);
  if (why !== null) {
    process.stderr.write(`SKIPPED: ${why}\n`);
    process.exitCode = 3;
    return false;
  }
  mkdirSync(folder, { recursive: true });
  const where = await circumstances();
  const commit = commitHere(repository);
  const sctp: Sctp =
    readFileSync(`${pathOf("agnhost")}.sctp`, "utf8").trim() === "kernel" ? "kernel" : "replaced";
  const earlier = existsSync(out) ? parseResults(readFileSync(out, "utf8")).runs : [];
  let runs: readonly SuiteRun[] = keptRuns(earlier, settings);
  const complaints: string[] = [];
  for (const suite of suites) {
    const { leftOut } = suiteFacts[suite];
    for (let n = 1; n <= count; n++) {
      const one = await run(suite, settings, nameOf(suite, settings, n), commit);
      complaints.push(...complaintsOf(one, testsOf(suite, only), leftOut));
      runs = [...runs, one];
      // After each, so that a run that is ended leaves what it has.
      const results: Results = { ...where, sctp, runs };
      writeResults(out, results);
      if (page !== null) await intoPage(page, results);
      process.stdout.write(textTable({ ...results, runs: [one] }));
    }
  }
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
  const all = runs.flatMap(({ tests }) => tests);
  const passed = all.filter((test) => verdictOf(test) === "passed");
  const late = passed.filter(({ again }) => again.length > 0).length;
  tell(`${passed.length - late} of ${all.length} passed${late === 0 ? "" : `, ${late} passed on a re-run`}`);
  return complaints.length === 0;
}

await measuring(help, (env) => runAll(settingsOf(env)));
