// `make matrix [K8S=…] [OVN=…]`: runs the suites that matter on another control plane or another OVN, and keeps what came of each
// version in e2e/matrix/results.json, from which the table of docs/compatibility.md is written. Exit codes: 0 all passed, 1 something
// failed, 2 an argument is wrong.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { load, writeResults } from "../../scripts/support/measuring.ts";
import { SettingsError, Variables } from "../../scripts/support/variables.ts";
import { intoPage, type MatrixRun, readResults, resultsFile } from "./results.ts";
import { type Axis, type Version, versionsOf } from "./versions.ts";

const help = `make matrix [K8S=1.32,1.34,1.36] [OVN=bookworm,trixie,sid] [FILES=…] [AGAIN=no]

Runs the suites that matter on each version that is named: on control planes built from Kubernetes' modules, and on OVN
from Debian's releases. Results are kept in ${resultsFile}, and docs/compatibility.md is written from them.

  K8S    minor versions of Kubernetes; none unless given
  OVN    Debian's releases whose OVN is used; none unless given. bookworm's is too old: that the program says so is tested, on Debian 12
  FILES  tests instead of those of the axis, comma-separated; results of a part of them are not kept
  AGAIN  yes: the files alone that failed in the kept results of the version; what came of them stands beside those

A first build of a control plane takes about six minutes of a processor.
`;

const repository = fileURLToPath(new URL("../..", import.meta.url));

interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

function ran(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: repository });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

/** The suites of the axis on this version. Throws where the version cannot be had. */
function runOn(axis: Axis, version: Version, files: readonly string[]): MatrixRun {
  for (const [script = "", ...args] of version.builds) {
    const { status } = spawnSync(join(repository, script), args, {
      cwd: repository,
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (status !== 0)
      throw new Error(`${axis.part} ${version.name} cannot be had: ${script} ended with ${String(status)}`);
  }
  const folder = mkdtempSync(join(tmpdir(), "ng-matrix-"));
  try {
    const report = join(folder, "report.json");
    const began = performance.now();
    const { status } = spawnSync(
      "npx",
      ["jest", "--ci", "--forceExit", "--json", `--outputFile=${report}`, ...files],
      {
        cwd: repository,
        stdio: ["ignore", "ignore", "inherit"],
        // A suite that is skipped is no result.
        env: {
          ...process.env,
          ...version.env,
          CI: "true",
          NODE_OPTIONS: "--experimental-vm-modules --no-warnings",
        },
      },
    );
    const told = JSON.parse(readFileSync(report, "utf8")) as JestReport;
    return {
      ...{
        part: axis.part,
        version: ran(...version.says).replace(/^.*?v?(\d+\.\d+\.\d+)[^]*$/, "$1"),
        ...{ name: version.name, from: version.from },
      },
      ...{ passed: told.numPassedTests, failed: told.numFailedTests, skipped: told.numPendingTests },
      ended: status ?? 1,
      failing: told.testResults
        .filter((one) => one.status === "failed")
        .map(({ name }) => relative(repository, name)),
      files,
      seconds: Math.round((performance.now() - began) / 1000),
      ...{
        load: load(),
        when: new Date().toISOString(),
        commit: ran("git", "rev-parse", "--short=12", "HEAD"),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Another version of the part has another result. */
function withAgain(kept: MatrixRun | undefined, run: MatrixRun): MatrixRun {
  if (kept?.version !== run.version)
    throw new Error(`the kept results are of ${kept?.version ?? "no version"}, and this is ${run.version}`);
  const { failing, passed, when, commit } = run;
  return { ...kept, again: { failing, passed, when, commit } };
}

interface Asked {
  /** In place of those of the axis; none: those. */
  readonly only: readonly string[];
  readonly isAgain: boolean;
}

function askedOf(variables: Variables): Asked {
  const only = variables.list("FILES", "").filter((file) => file !== "");
  const isAgain = variables.choice("AGAIN", ["no", "yes"], "no") === "yes";
  if (isAgain && only.length > 0) throw new SettingsError("AGAIN=yes is without FILES");
  return { only, isAgain };
}

/** Writes the results and the page, unless they are of a part of the files. */
async function runAndKeep(axis: Axis, version: Version, { only, isAgain }: Asked): Promise<MatrixRun> {
  const kept = readResults().find((one) => one.part === axis.part && one.name === version.name);
  const failed = kept?.failing ?? [];
  if (isAgain && failed.length === 0)
    throw new SettingsError(`AGAIN=yes: no file failed with ${axis.part} ${version.name}`);
  const wanted = isAgain ? failed : only;
  const run = runOn(axis, version, wanted.length > 0 ? wanted : (version.files ?? axis.files));
  if (only.length > 0) return run;
  const others = readResults().filter((one) => one.part !== run.part || one.version !== run.version);
  writeResults(join(repository, resultsFile), [...others, isAgain ? withAgain(kept, run) : run]);
  await intoPage(join(repository, "docs/compatibility.md"));
  return run;
}

async function matrix(env: NodeJS.ProcessEnv): Promise<number> {
  const variables = new Variables(env);
  const chosen = versionsOf({ K8S: variables.text("K8S", ""), OVN: variables.text("OVN", "") });
  if (chosen.length === 0) throw new SettingsError("K8S or OVN names versions; HELP=1 says more");
  const asked = askedOf(variables);
  let isRight = true;
  for (const { axis, version } of chosen) {
    process.stderr.write(`== ${axis.part} ${version.name}\n`);
    const run = await runAndKeep(axis, version, asked);
    process.stdout.write(
      `${axis.part} ${run.version}: ${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped\n`,
    );
    isRight &&= run.ended === 0;
  }
  return isRight ? 0 : 1;
}

if (process.argv.includes("--help")) process.stdout.write(help);
else
  try {
    process.exitCode = await matrix(process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof SettingsError ? 2 : 1;
  }
