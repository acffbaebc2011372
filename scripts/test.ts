// `make check` and `make test`: quick parts first, each with its time, and one line at the end that sums up all of them.
// The last but one says how large the caches are. Whatever runs here has TMPDIR in a folder that is removed at the end, also
// when the run is interrupted. Exit codes: 0 all passed, 1 something failed, 128 and more: ended by a signal.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism, constants, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  compileCache,
  compileCacheName,
  keepCachesInClone,
  pruneCompileCache,
  sizeOfCaches,
} from "./support/caches.ts";
import { isLong } from "../test/support/length.ts";
import { processorTimes, processorTimesVariable } from "./support/processor-time.ts";

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

interface Step {
  readonly name: string;
  /** `seconds`: its own, where others ran beside it. */
  run(): Promise<Tally & { readonly seconds?: number }>;
}

/** What jest writes with --json; only what is summed up here. */
interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

keepCachesInClone();
/** Short, and not in the clone: the names of sockets below it have at most 107 characters. */
const folder = mkdtempSync("/tmp/ngt-");
// Programs of another user may be started from it.
chmodSync(folder, 0o711);
mkdirSync(compileCache, { recursive: true });
pruneCompileCache();
symlinkSync(compileCache, join(folder, compileCacheName));
process.on("exit", () => {
  rmSync(folder, { recursive: true, force: true });
});

/** What is running now. */
const running = new Set<ChildProcess>();
/** The exit code of a run that a signal ends; null: none does. */
let ending: number | null = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    const code = 128 + constants.signals[signal];
    ending ??= code;
    endWhenAllHave();
    for (const child of running) endGroup(child, signal);
  });
}

/** With what it started: processes of jest that run tests would go on with the next file. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** They may still write into the folder. */
function endWhenAllHave(): void {
  if (ending !== null && running.size === 0) process.exit(ending);
}

interface RunOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Receives what the program says; without it, that is shown at once. */
  readonly said?: (text: Buffer) => void;
}

function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<number> {
  const { environment, said } = options;
  const output = said === undefined ? "inherit" : "pipe";
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      detached: true, // a process group of its own
      stdio: ["ignore", output, output],
      env: { ...process.env, TMPDIR: folder, ...environment },
    });
    running.add(child);
    child.once("error", reject);
    if (said !== undefined) for (const stream of [child.stdout, child.stderr]) stream?.on("data", said);
    child.once("close", (code) => {
      running.delete(child);
      endWhenAllHave();
      resolve(code ?? 1);
    });
  });
}

const program = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const cores = availableParallelism();

/** Scripts of package.json that run beside one another, as many as there are cores. Each is told in its turn, whole. */
function together(scripts: readonly (readonly [name: string, title: string])[]): readonly Step[] {
  const waiting = scripts.map(([name, title]) => ({ name, title, ...Promise.withResolvers<Said>() }));
  const queue = [...waiting];
  let isBegun = false;
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && ending === null; next = queue.shift()) {
      const said = saidBy(next.name);
      next.resolve(said);
      await said;
    }
  };
  return waiting.map(({ title, promise }) => ({
    name: title,
    run: async () => {
      if (!isBegun) void Promise.all(Array.from({ length: cores }, work));
      isBegun = true;
      const { code, text, seconds } = await promise;
      process.stdout.write(text);
      return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, seconds };
    },
  }));
}

interface Said {
  readonly code: number;
  readonly text: string;
  readonly seconds: number;
}

async function saidBy(script: string): Promise<Said> {
  const started = performance.now();
  const texts: Buffer[] = [];
  const code = await run("npm", ["run", "--silent", script], { said: (text) => texts.push(text) });
  return { code, text: Buffer.concat(texts).toString(), seconds: (performance.now() - started) / 1000 };
}

/** Brings what a suite needs and is no package: says so when it cannot be had, and the suites tell what they skip. */
function preparation(name: string, command: string, ...args: readonly string[]): Step {
  return {
    name,
    run: async () => {
      const code = await run(command, args);
      // 3: not on this machine. Under CI that is a failure, as every missing part is.
      const missing = code === 3 && process.env["CI"] !== "true";
      return { passed: code === 0 ? 1 : 0, failed: code === 0 || missing ? 0 : 1, skipped: missing ? 1 : 0 };
    },
  };
}

/** For tests that compute. */
const workers = 2 * cores;
const bytesOfWorker = 2 * 2 ** 30;
/**
 * For tests on real parts, which wait half of their time for others' programs: two a core left 14 % of the cores idle. Each may have an
 * API server, so that memory is a bound.
 */
const waitingWorkers = Math.max(workers, Math.min(3 * cores, Math.floor(totalmem() / bytesOfWorker)));

/** How many of the test files that take most processor time a run names. */
const mostShown = 100;

/** The tests below folders of the repository, by so many processes. */
function suite(name: string, processes: number, ...under: readonly string[]): Step {
  return {
    name,
    run: async () => {
      const report = join(folder, `${under.join("-")}.json`);
      const times = join(folder, `${under.join("-")}-processor.jsonl`);
      const tests = under.map((one) => `--testMatch=<rootDir>/${one}/**/*.test.ts`);
      const leftOut = isLong ? [] : [String.raw`--testPathIgnorePatterns=\.long\.test\.ts$`];
      const code = await run(
        "jest",
        ["--ci", `--maxWorkers=${processes}`, "--json", `--outputFile=${report}`, ...tests, ...leftOut],
        {
          environment: {
            NODE_OPTIONS: "--experimental-vm-modules --no-warnings",
            // The tests start the program hundreds of times: as it was built.
            NORTHGATE_TEST_PROGRAM: program,
            NODE_COMPILE_CACHE: compileCache,
            [processorTimesVariable]: times,
          },
        },
      );
      const took = processorTimes(times, mostShown);
      if (took !== null) process.stdout.write(`   ${took}\n`);
      return tallyOf(report, code);
    },
  };
}

function tallyOf(path: string, code: number): Tally {
  const report = JSON.parse(readFileSync(path, "utf8")) as JestReport;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return {
    passed: report.numPassedTests,
    // A run that failed for another reason than a test has failed all the same.
    failed: code === 0 ? failed : Math.max(1, failed),
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

const checks = together([
  ["types", "types"],
  ["lint", "lint"],
  ["layers", "layers"],
  ["unused", "unused code"],
  ["format", "format"],
  ["words", "words of the documentation"],
]);
const isLint = ({ name }: Step): boolean => name === "lint";
const installedChromium = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const preparations: readonly Step[] = [
  preparation("an OVN", process.execPath, "tools/sandbox/main.ts", "fetch"),
  preparation("a Prometheus", "scripts/fetch-prometheus.sh", ".cache/prometheus"),
  ...(process.env["NORTHGATE_CHROMIUM"] === undefined && !installedChromium.some((path) => existsSync(path))
    ? [preparation("a Chromium", "bash", "scripts/fetch-chromium.sh", ".cache/chromium-headless-shell")]
    : []),
  ...(process.env["KUBEBUILDER_ASSETS"] === undefined
    ? [preparation("a control plane (five minutes the first time)", "e2e/controlplane/build.sh")]
    : []),
  preparation("a Helm (two minutes the first time)", "e2e/helm/build.sh"),
  preparation("krew (a minute the first time)", "e2e/krew/build.sh"),
  // Their clusters need root: without it they are skipped, and nothing is built.
  ...(process.getuid?.() === 0
    ? [
        preparation("the suites of others (six minutes the first time)", "e2e/suites/build.sh"),
        preparation("the node agent", "e2e/node-agent/build.sh"),
        preparation(
          "nodes with kubelets (seven minutes the first time)",
          process.execPath,
          "scripts/cluster.ts",
          "prepare",
        ),
      ]
    : []),
];

const [what] = process.argv.slice(2);
const steps: readonly Step[] =
  what === "check"
    ? checks
    : [
        ...checks.filter((step) => !isLint(step)),
        suite("unit tests", workers, "src", "tools"),
        // It takes longer than all other checks together, on one core.
        ...checks.filter(isLint),
        ...preparations,
        preparation(
          "the packages, installed and tried",
          process.execPath,
          "scripts/release-check.ts",
          "--linked",
        ),
        // In one run: while one file waits for its cluster, another one computes.
        suite("tests on real parts, and end to end", waitingWorkers, "test", "e2e"),
      ];
const total: Tally = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
for (const step of steps) {
  process.stdout.write(`== ${step.name}\n`);
  const started = performance.now();
  const tally = await step.run();
  total.passed += tally.passed;
  total.failed += tally.failed;
  total.skipped += tally.skipped;
  if (tally.failed > 0) failures.push(step.name);
  const { seconds = (performance.now() - started) / 1000 } = tally;
  process.stdout.write(`   ${tally.failed === 0 ? "passed" : "FAILED"} in ${seconds.toFixed(1)} s\n`);
}
if (what !== "check") process.stdout.write(`${sizeOfCaches()}\n`);
if (failures.length > 0) process.stdout.write(`failed: ${failures.join(", ")}\n`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
