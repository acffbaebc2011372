// What a conformance run is asked for, from `make`'s variables. Refuses what it does not know, naming what there is.

import { resolve } from "node:path";
import { SettingsError, Variables } from "../../scripts/support/variables.ts";
import { type ConformanceBackend, conformanceBackends } from "./grounds.ts";
import type { Families } from "./nodes.ts";
import { type SuiteName, suiteNames } from "./programs.ts";
import type { SuiteRun } from "./results.ts";
import { suiteFacts } from "./suites.ts";

export interface Settings {
  readonly suites: readonly SuiteName[];
  /** Names of tests; null: all of them. */
  readonly only: readonly string[] | null;
  /** How often each suite is run, on a new cluster each time. */
  readonly runs: number;
  readonly families: Families;
  readonly backend: ConformanceBackend;
  /** More flags of `northgate run`. */
  readonly northgateArgs: readonly string[];
  /** Where the results go as JSON; those of other suites and families that are there are kept. */
  readonly out: string;
  /** The page whose results are written; null: none. */
  readonly page: string | null;
  /** Where what each suite said goes, and upstream's own report: absolute, as the suites run elsewhere. */
  readonly folder: string;
}

export const help = `make conformance [SUITE=all] [ONLY=…] [RUNS=1] [FAMILIES=ipv4] [BACKEND=ovn] [ARGS=…] [OUT=bench/results/conformance.json] [PAGE=none]

Runs the conformance suites of the field, unmodified, against northgate on a cluster of this machine: a real API server,
controllers and OVN, or nodes that route, pods in network namespaces. Needs root. Which parts are replaced: docs/conformance.md.

  SUITE     ${suiteNames.join(", ")}, several of them with commas, or all
  ONLY      names of tests, with commas; the table then says that others were not run. Of cyclonus: tags of cases, deny-all for example
  RUNS      how often, on a new cluster each time
  FAMILIES  of pods, nodes and services: ipv4, ipv6, dual
  BACKEND   what enforces the policies: ovn, or iptables, one program on each of the nodes, which route
  ARGS      more flags for northgate run, for example --named-ports=sets
  OUT       the results as JSON; results of other suites and families that are there are kept
  PAGE      the page whose results are written between its markers, docs/conformance.md

What each suite said, and upstream's own reports, go to the folder bench/results/conformance; with
BACKEND=iptables they are named conformance-iptables.

Suites:
${suiteNames.map((name) => `  ${name.padEnd(10)}${suiteFacts[name].title}: ${suiteFacts[name].tests} tests of ${suiteFacts[name].source}`).join("\n")}

Exit codes: 0 all passed, 1 a test failed or did not run, 2 an argument is wrong, 3 this machine lacks what it needs.
`;

/** Names the files of a suite's run, which is the `number`th. */
export function nameOf(suite: SuiteName, { families, runs }: Settings, number: number): string {
  return [suite, ...(families === "ipv4" ? [] : [families]), ...(runs === 1 ? [] : [number])].join("-");
}

/** Earlier results that these runs do not replace: those of other suites, and of other families. */
export function keptRuns(earlier: readonly SuiteRun[], { suites, families }: Settings): readonly SuiteRun[] {
  const isReplaced = (run: SuiteRun) =>
    suites.some((name) => name === run.suite) && (run.families ?? "ipv4") === families;
  return earlier.filter((run) => !isReplaced(run));
}

const allFamilies: readonly Families[] = ["ipv4", "ipv6", "dual"];

export function settingsOf(env: NodeJS.ProcessEnv): Settings {
  const variables = new Variables(env);
  const asked = variables.list("SUITE", "all");
  const suites = suiteNames.filter((name) => asked.includes(name) || asked.includes("all"));
  const unknown = asked.find((name) => name !== "all" && !suiteNames.some((known) => known === name));
  if (unknown !== undefined)
    throw new SettingsError(`SUITE=${unknown}: not one of ${suiteNames.join(", ")}, all`);
  const only = variables.text("ONLY", "") === "" ? null : variables.list("ONLY", "");
  if (only !== null && suites.length > 1)
    throw new SettingsError("ONLY names tests of one suite: give SUITE too");
  const wanted = variables.text("FAMILIES", "ipv4");
  const families = allFamilies.find((name) => name === wanted);
  if (families === undefined)
    throw new SettingsError(`FAMILIES=${wanted}: not one of ${allFamilies.join(", ")}`);
  const enforcer = variables.text("BACKEND", "ovn");
  const backend = conformanceBackends.find((name) => name === enforcer);
  if (backend === undefined)
    throw new SettingsError(`BACKEND=${enforcer}: not one of ${conformanceBackends.join(", ")}`);
  const page = variables.text("PAGE", "none");
  if (page !== "none" && only !== null) throw new SettingsError("PAGE is for whole suites: leave ONLY out");
  if (page !== "none" && backend !== "ovn") throw new SettingsError("PAGE is for BACKEND=ovn");
  const name = backend === "ovn" ? "conformance" : `conformance-${backend}`;
  return {
    ...{ suites, only, families, backend },
    runs: variables.number("RUNS", 1, 99),
    northgateArgs: variables
      .text("ARGS", "")
      .split(" ")
      .filter((arg) => arg !== ""),
    out: variables.text("OUT", `bench/results/${name}.json`),
    page: page === "none" ? null : page,
    folder: resolve("bench/results", name),
  };
}
