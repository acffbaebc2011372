// What a conformance run is asked for, from `make`'s variables. Refuses what it does not know, naming what there is.

import { resolve } from "node:path";
import { SettingsError, Variables } from "../../scripts/support/variables.ts";
import { type ConformanceBackend, conformanceBackends } from "./grounds.ts";
import type { Families } from "./nodes.ts";
import { type Part, parts } from "./cyclonus-parts.ts";
import { type SuiteName, suiteNames } from "./programs.ts";
import type { SuiteRun } from "./results.ts";
import { isSameKind } from "./results-table.ts";
import { suiteFacts } from "./suites.ts";

export interface Settings {
  readonly suites: readonly SuiteName[];
  /** Names of tests; null: all of them. */
  readonly only: readonly string[] | null;
  /** How often each suite is run, on a new cluster each time. */
  readonly runs: number;
  readonly families: Families;
  readonly backend: ConformanceBackend;
  /** What runs the pods: one program that is all nodes, or kubelets. */
  readonly cluster: ClusterKind;
  /** More flags of `northgate run`. */
  readonly northgateArgs: readonly string[];
  /** Whether each dropped connection that `northgate observe` shows of the run is judged, too. */
  readonly samples: boolean;
  /** Where the results go as JSON; those of other suites, families and clusters that are there are kept. */
  readonly out: string;
  /** Whether the parts of Cyclonus that are there stay, and the others alone are run. */
  readonly resume: boolean;
  /** The page whose results are written; null: none. */
  readonly page: string | null;
  /** Results as JSON that are written into the page; when there are any, nothing is run. */
  readonly from: readonly string[];
  /** Where what each suite said goes, and upstream's own report: absolute, as the suites run elsewhere. */
  readonly folder: string;
}

export const help = `make conformance [SUITE=all] [ONLY=…] [RUNS=1] [FAMILIES=ipv4] [BACKEND=ovn] [CLUSTER=agent] [SAMPLES=no] [ARGS=…] [OUT=bench/results/conformance.json] [RESUME=no] [PAGE=none] [FROM=…]

Runs the conformance suites of the field, unmodified, against northgate on a cluster of this machine: a real API server,
controllers and OVN, or nodes that route, pods in network namespaces. Needs root. Which parts are replaced: docs/conformance.md.

  SUITE     ${suiteNames.join(", ")}, several of them with commas, or all
  ONLY      names of tests, with commas; the table then says that others were not run. Of cyclonus: tags of cases, deny-all for
            example, or end-port, which its default leaves out
  RUNS      how often, on a new cluster each time
  FAMILIES  of pods, nodes and services: ipv4, ipv6, dual
  BACKEND   what enforces the policies: ovn, or iptables, one program on each of the nodes, which route
  CLUSTER   what runs the pods: agent, one program that is all nodes, or real: two kubelets with containerd, and northgate as a Deployment
            of two replicas. real is for FAMILIES=ipv4 and BACKEND=ovn
  SAMPLES   yes: northgate observe watches the run, and the rule that it names of each dropped connection must be the one that decides by
            the meaning of the policies. For BACKEND=ovn and CLUSTER=agent
  ARGS      more flags for northgate run, for example --named-ports=sets
  OUT       the results as JSON; results of other suites and families that are there are kept
  RESUME    yes: parts of cyclonus that are in OUT, of the same program and families, are not run again
  PAGE      the page whose results are written between its markers, docs/conformance.md; results, logs and reports go to the folder
            beside it, docs/conformance. Results of other suites and families stay
  FROM      results as JSON, with commas, that are written into PAGE; nothing is run

What each suite said, and upstream's own reports, go to the folder bench/results/conformance; with
BACKEND=iptables they are named conformance-iptables, and with SAMPLES=yes conformance-samples.

Cyclonus is run in parts by the tags of its cases: ${parts.map(({ name }) => name).join(", ")}.

Suites:
${suiteNames.map((name) => `  ${name.padEnd(10)}${suiteFacts[name].title}: ${suiteFacts[name].tests} tests of ${suiteFacts[name].source}`).join("\n")}

Exit codes: 0 all passed, 1 a test failed or did not run, 2 an argument is wrong, 3 this machine lacks what it needs.
`;

/** Names the files of a suite's run, which is the `number`th. */
export function nameOf(suite: SuiteName, { families, cluster, runs }: Settings, number: number): string {
  const kind = [...(cluster === "agent" ? [] : [cluster]), ...(families === "ipv4" ? [] : [families])];
  return [suite, ...kind, ...(runs === 1 ? [] : [number])].join("-");
}

/** Whether the run is of a suite, of families and of a cluster that are asked for. */
export function isOf(run: SuiteRun, { suites, families, cluster }: Settings): boolean {
  return suites.some((suite) => isSameKind(run, { suite, families, cluster }));
}

/** Earlier results that these runs do not replace: those of other suites, families and clusters, and with `resume` the parts that are there. */
export function keptRuns(
  earlier: readonly SuiteRun[],
  settings: Settings,
  program: string,
): readonly SuiteRun[] {
  const isGood = ({ part, program: its, broken }: SuiteRun) =>
    settings.resume && part !== undefined && its === program && broken === null;
  return earlier.filter((run) => !isOf(run, settings) || isGood(run));
}

/** What is to be run of a suite beside what is there: null is the suite as a whole. */
export function partsToRun(
  suite: SuiteName,
  settings: Settings,
  had: readonly SuiteRun[],
): readonly (Part | null)[] {
  if (suite !== "cyclonus" || settings.only !== null) return [null];
  const isThere = ({ name }: Part) => had.some((run) => isOf(run, settings) && run.part === name);
  return settings.resume ? parts.filter((part) => !isThere(part)) : parts;
}

export const clusterKinds = ["agent", "real"] as const;
export type ClusterKind = (typeof clusterKinds)[number];
const allFamilies: readonly Families[] = ["ipv4", "ipv6", "dual"];

export function settingsOf(env: NodeJS.ProcessEnv): Settings {
  const variables = new Variables(env);
  const backend = variables.choice("BACKEND", conformanceBackends, "ovn");
  const cluster = variables.choice("CLUSTER", clusterKinds, "agent");
  const samples = variables.choice("SAMPLES", ["no", "yes"], "no") === "yes";
  const kind = [...(backend === "ovn" ? [] : [backend]), ...(samples ? ["samples"] : [])];
  const name = ["conformance", ...kind].join("-");
  const settings: Settings = {
    ...{ suites: suitesOf(variables.list("SUITE", "all")), only: listOrNull(variables, "ONLY") },
    ...{ backend, cluster, samples },
    runs: variables.number("RUNS", 1, 99),
    families: variables.choice("FAMILIES", allFamilies, "ipv4"),
    northgateArgs: variables
      .text("ARGS", "")
      .split(" ")
      .filter((arg) => arg !== ""),
    out: variables.text("OUT", `bench/results/${name}.json`),
    resume: variables.choice("RESUME", ["no", "yes"], "no") === "yes",
    page: variables.page("none"),
    from: listOrNull(variables, "FROM") ?? [],
    folder: resolve("bench/results", name),
  };
  refuseContradictions(settings);
  return settings;
}

function suitesOf(asked: readonly string[]): readonly SuiteName[] {
  const unknown = asked.find((name) => name !== "all" && !suiteNames.some((known) => known === name));
  if (unknown !== undefined)
    throw new SettingsError(`SUITE=${unknown}: not one of ${suiteNames.join(", ")}, all`);
  return suiteNames.filter((name) => asked.includes(name) || asked.includes("all"));
}

function listOrNull(variables: Variables, name: string): readonly string[] | null {
  return variables.text(name, "") === "" ? null : variables.list(name, "");
}

function isPlain({ families, backend, northgateArgs }: Settings): boolean {
  return families === "ipv4" && backend === "ovn" && northgateArgs.length === 0;
}

/** Whether one switch has all pods. */
function hasReader({ backend, cluster }: Settings): boolean {
  return backend === "ovn" && cluster === "agent";
}

function refuseContradictions(settings: Settings): void {
  const { suites, only, page, backend, from, resume, runs, samples } = settings;
  const isOneWhole = suites.join() === "cyclonus" && only === null && runs === 1;
  const refusals: readonly (readonly [boolean, string])[] = [
    [
      settings.cluster === "real" && !isPlain(settings),
      "CLUSTER=real is for FAMILIES=ipv4 and BACKEND=ovn, without ARGS",
    ],
    [only !== null && suites.length > 1, "ONLY names tests of one suite: give SUITE too"],
    [page !== null && only !== null, "PAGE is for whole suites: leave ONLY out"],
    [page !== null && backend !== "ovn", "PAGE is for BACKEND=ovn"],
    [samples && !hasReader(settings), "SAMPLES is for BACKEND=ovn and CLUSTER=agent"],
    [page !== null && samples, "PAGE is for runs without SAMPLES"],
    [page === null && from.length > 0, "FROM is written into a page: give PAGE too"],
    [resume && !isOneWhole, "RESUME is for one run of SUITE=cyclonus as a whole"],
  ];
  for (const [isSo, why] of refusals) if (isSo) throw new SettingsError(why);
}
