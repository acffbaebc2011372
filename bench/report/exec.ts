// Runs from exec as the first table of docs/performance.md, and its goals: a goal is met when every run met it. Cells are the range
// of the runs; with fewer values than a percentile needs, that says more than a median.

import { counted } from "../../src/lib/counted.ts";
import type { ExecResult } from "../exec/measure.ts";
import type { Mode } from "../workloads/rendering.ts";
import type { Results } from "./results.ts";
import { workloadOf } from "../workloads/catalogue.ts";
import { range } from "./range.ts";

/** Where the tables are, and the name of their markers. */
export const execPage = "docs/performance.md";
export const execPart = "exec";

export interface ExecResults extends Omit<Results, "workloads"> {
  readonly workloads: readonly ExecResult[];
}

interface Goal {
  readonly title: string;
  readonly workload: string;
  readonly mode: Mode;
  readonly most: number;
  readonly unit: string;
  readonly digits: number;
  readonly of: (result: ExecResult) => number;
}

const seconds = { unit: "s", digits: 2, of: startSeconds } as const;
const updated = {
  unit: "MB",
  digits: 0,
  of: ({ afterwards }: ExecResult) => afterwards.rssBytes / 1e6,
} as const;
const update = {
  unit: "µs",
  digits: 0,
  of: ({ afterwards }: ExecResult) => afterwards.cpuMicrosAnUpdate,
} as const;

const goals: readonly Goal[] = [
  { title: "rows right", workload: "W1", mode: "central", most: 0.6, ...seconds },
  {
    title: "peak memory of a start",
    workload: "W1",
    mode: "central",
    most: 130,
    unit: "MB",
    digits: 0,
    of: startPeak,
  },
  { title: "rows right", workload: "W2", mode: "central", most: 2.2, ...seconds },
  { title: "memory after the updates", workload: "W2", mode: "central", most: 220, ...updated },
  { title: "rows right", workload: "W2", mode: "shared", most: 1.2, ...seconds },
  { title: "rows right", workload: "W4", mode: "central", most: 12, ...seconds },
  {
    title: "peak memory of all",
    workload: "W4",
    mode: "central",
    most: 900,
    unit: "MB",
    digits: 0,
    of: peakOfAll,
  },
  { title: "CPU of an update", workload: "W1", mode: "central", most: 40, ...update },
  { title: "CPU of an update", workload: "W2", mode: "central", most: 40, ...update },
];

export function execTables(runs: readonly ExecResults[]): string {
  const [first] = runs;
  if (first === undefined) return "No run from exec.";
  const loads = runs.flatMap(({ load }) => load);
  const measured = new Map(
    runs.flatMap(({ workloads }) => workloads).map((one) => [`${one.workload} ${one.mode}`, one] as const),
  );
  return [
    `${counted(runs.length, "run")}, each with a start of every workload. ${first.machine}; Node ${first.node}, OVN ${first.ovn}; ` +
      `load ${range(loads, 1)}; ${first.when.slice(0, 10)}.`,
    "",
    "| workload, form | pods, nodes, policies | rows right, s | CPU, s | peak memory, MB | after the updates, MB | an update, µs | pods replaced | memory then, MB | a replaced pod, ms |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...[...measured.values()].map((one) => row(one, resultsOf(runs, one))),
    "",
    ...goalTable(goals.flatMap((goal) => goalRow(goal, resultsOf(runs, goal)))),
  ].join("\n");
}

function goalTable(rows: readonly string[]): readonly string[] {
  if (rows.length === 0) return [];
  return ["| goal | at the most | each run | met |", "| --- | --- | --- | --- |", ...rows, ""];
}

function resultsOf(runs: readonly ExecResults[], { workload, mode }: Pick<ExecResult, "workload" | "mode">) {
  return runs.flatMap(({ workloads }) =>
    workloads.filter((one) => one.workload === workload && one.mode === mode),
  );
}

function row({ workload, mode }: ExecResult, results: readonly ExecResult[]): string {
  const of = (pick: (one: ExecResult) => number, digits: number) => range(results.map(pick), digits);
  const cells = [
    `${workload}, ${mode}`,
    sizesOf(workload),
    of(startSeconds, 2),
    of(({ starts }) => most(starts.map(({ cpuMs }) => cpuMs / 1000)), 2),
    of(startPeak, 0),
    of(updated.of, 0),
    of(update.of, 0),
    of(({ afterwards }) => afterwards.replacedPods, 0),
    of(({ afterwards }) => afterwards.replacedRssBytes / 1e6, 0),
    of(({ afterwards }) => afterwards.cpuMsAPod, 1),
  ];
  return `| ${cells.join(" | ")} |`;
}

function sizesOf(name: string): string {
  const { podCount, nodes, policies } = workloadOf(name) ?? { podCount: 0, nodes: 0, policies: 0 };
  return [podCount, nodes, policies].map((each) => each.toLocaleString("en")).join(" / ");
}

/** None where the workload was not measured. */
function goalRow(
  { title, workload, mode, most: limit, unit, digits, of }: Goal,
  results: readonly ExecResult[],
) {
  if (results.length === 0) return [];
  const values = results.map(of);
  const within = values.filter((value) => value <= limit).length;
  const met = within === values.length ? "**yes**" : within === 0 ? "no" : `in ${within} of ${values.length}`;
  const each = values.map((value) => value.toFixed(digits)).join(", ");
  return [`| ${workload}, ${mode}: ${title} | ${limit} ${unit} | ${each} | ${met} |`];
}

const most = (values: readonly number[]): number => Math.max(...values);

function startSeconds({ starts }: ExecResult): number {
  return most(starts.map(({ rowsMs }) => rowsMs / 1000));
}

function startPeak({ starts }: ExecResult): number {
  return most(starts.map(({ peakRssBytes }) => peakRssBytes / 1e6));
}

function peakOfAll(result: ExecResult): number {
  const { peakRssBytes, replacedPeakRssBytes } = result.afterwards;
  return most([startPeak(result), peakRssBytes / 1e6, replacedPeakRssBytes / 1e6]);
}
