// Runs one suite of someone else's against a cluster: its program with the flags that its own project names, unfiltered or
// some of its tests alone. What it prints goes to a file, and line by line to whoever listens. Says nothing of what came of it.

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { manifestOf } from "../../scripts/support/tarballs.ts";
import { casesWith, type CyclonusTags } from "./cyclonus-parts.ts";
import { pathOf, programOf, type SuiteName } from "./programs.ts";

export interface SuiteOptions {
  /** Where its files go; it exists. */
  readonly folder: string;
  /** Names its files. */
  readonly name: string;
  /** The names of some tests, of Cyclonus the tags of some cases; all tests unless given. */
  readonly only?: readonly string[];
  /** A part of Cyclonus' cases. */
  readonly tags?: CyclonusTags;
  readonly timeoutMinutes?: number;
  readonly heard?: (line: string) => void;
}

export interface SuiteEnd {
  /** Null: it was ended by a signal. */
  readonly code: number | null;
  readonly seconds: number;
  /** What it printed. */
  readonly output: string;
  /** The test that the others are parts of; of a Go test only. */
  readonly top: string;
  /** What ginkgo says of its run, in JSON; null: it wrote none, or is none of ginkgo's. */
  readonly report: string | null;
}

const { version } = manifestOf(fileURLToPath(new URL("../../", import.meta.url)));
const implementation = {
  organization: "northgate",
  project: "northgate",
  url: "https://northgate.example",
  version: `v${version}`,
  contact: "https://northgate.example",
  "additional-info":
    "upstream's suite, unmodified; docs/conformance.md says which parts of the cluster are replaced",
};
const profiles: Readonly<Record<Exclude<SuiteName, "netpol" | "cyclonus">, string>> = {
  anp: "AdminNetworkPolicy,BaselineAdminNetworkPolicy",
  cnp: "ClusterNetworkPolicy",
};

export async function runSuite(
  kubeconfig: string,
  suite: SuiteName,
  options: SuiteOptions,
): Promise<SuiteEnd> {
  const { folder, name, heard } = options;
  const file = join(folder, `${name}.log`);
  const report = join(folder, `${name}.json`);
  const begun = performance.now();
  const child = spawn(pathOf(programOf(suite)), argumentsOf(suite, kubeconfig, report, options), {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig },
    stdio: ["ignore", "pipe", "pipe"],
    // The others have a flag for it.
    ...(suite === "cyclonus" ? { timeout: (options.timeoutMinutes ?? 240) * 60_000 } : {}),
  });
  const code = await recorded(child, file, heard);
  return {
    ...{ code, seconds: (performance.now() - begun) / 1000, output: readFileSync(file, "utf8") },
    top: topOf(options),
    report: suite === "netpol" ? readIfThere(report) : null,
  };
}

function argumentsOf(
  suite: SuiteName,
  kubeconfig: string,
  report: string,
  options: SuiteOptions,
): readonly string[] {
  if (suite === "netpol") return ginkgo(kubeconfig, report, options);
  return suite === "cyclonus" ? cyclonus(options) : goTest(suite, options);
}

/** Without a profile there is no report, and with one a report that counts what was left out as passed. */
function topOf({ only }: SuiteOptions): string {
  return only === undefined ? "TestConformanceProfiles" : "TestConformance";
}

function goTest(suite: keyof typeof profiles, options: SuiteOptions): readonly string[] {
  const { folder, name, only, timeoutMinutes = 60 } = options;
  const top = `^${topOf(options)}$`;
  const reporting = [
    `--conformance-profiles=${profiles[suite]}`,
    `--report-output=${join(folder, `${name}-report.yaml`)}`,
    ...Object.entries(implementation).map(([flag, value]) => `--${flag}=${value}`),
  ];
  return [
    "-test.v=test2json",
    `-test.timeout=${timeoutMinutes}m`,
    `-test.run=${only === undefined ? top : `${top}/^(${only.join("|")})$`}`,
    "--all-features",
    // The cluster goes; and namespaces that are on their way out would be in the way of another run.
    "--cleanup-base-resources=false",
    ...(only === undefined ? reporting : []),
  ];
}

function ginkgo(kubeconfig: string, report: string, options: SuiteOptions): readonly string[] {
  const { only, timeoutMinutes = 60 } = options;
  return [
    `--kubeconfig=${kubeconfig}`,
    "--provider=skeleton",
    "--ginkgo.v",
    "--ginkgo.no-color",
    `--ginkgo.timeout=${timeoutMinutes}m`,
    `--ginkgo.json-report=${report}`,
    // Without a focus, Kubernetes leaves out all specs that name a feature, such as NetworkPolicy.
    ...(only?.map((spec) => `--ginkgo.focus=${literally(spec)}`) ?? ["--ginkgo.focus=Netpol"]),
  ];
}

/** Its cases are those of its default, or a part of them. It reads $KUBECONFIG. */
function cyclonus({ only = [], tags = casesWith(only) }: SuiteOptions): readonly string[] {
  return [
    "generate",
    // By default it connects to names of Services, which need a DNS server.
    "--destination-type=pod-ip",
    // A pod's connections to itself do not leave it.
    "--ignore-loopback",
    // By default a step that fails is tried again.
    "--retries=0",
    // Seconds that a denied connection takes.
    "--job-timeout-seconds=3",
    ...tags.include.map((tag) => `--include=${tag}`),
    ...tags.exclude.map((tag) => `--exclude=${tag}`),
  ];
}

/** A regular expression of this text alone. */
function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

async function recorded(
  child: ChildProcess,
  path: string,
  heard: ((line: string) => void) | undefined,
): Promise<number | null> {
  const file = createWriteStream(path, { mode: 0o600 });
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const stream of streams) {
    stream.pipe(file, { end: false });
    if (heard !== undefined) createInterface({ input: stream }).on("line", heard);
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  file.end();
  await finished(file);
  return code;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
