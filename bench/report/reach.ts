// How far an event's rows came behind the database, as a person reads it on a terminal: the stages, the floor's beside
// them, and what each process used. Nothing where there was no chassis.

import type { WorkloadResult } from "../run/bench.ts";
import { type EventSummary, mean } from "../run/measurement.ts";
import { type ProcessCpu, processTitles, type Reach } from "../run/reach.ts";
import { median, ms } from "./text.ts";

/** One line of the table: medians of the stages in milliseconds, CPU as means. */
export interface ReachLine {
  readonly title: string;
  readonly repetitions: number;
  readonly ours: StageTimes;
  readonly floor: StageTimes;
  /** The controller's own. */
  readonly controllerCpuMs: number;
  readonly cpu: ProcessCpu;
  readonly floorCpu: ProcessCpu;
}

interface StageTimes {
  readonly nb: number;
  readonly sb: number;
  readonly flows: number;
}

export function reachOf({ cold, events }: WorkloadResult): readonly ReachLine[] {
  return [...coldLine(cold), ...events.flatMap(eventLine)];
}

function coldLine(cold: WorkloadResult["cold"]): readonly ReachLine[] {
  const reached = cold.flatMap(({ ours, floor }) =>
    ours.reach === null || floor.reach === null
      ? []
      : [{ ours: ours.reach, floor: floor.reach, cpuMs: ours.cpuMs }],
  );
  if (reached.length === 0) return [];
  const [ours, floor] = [reached.map((one) => one.ours), reached.map((one) => one.floor)];
  return [
    {
      title: "cold start",
      repetitions: reached.length,
      ...{ ours: mediansOf(ours), floor: mediansOf(floor) },
      controllerCpuMs: mean(reached.map(({ cpuMs }) => cpuMs)),
      ...{ cpu: meansOf(ours), floorCpu: meansOf(floor) },
    },
  ];
}

function eventLine({ kind, repetitions, ours, floor }: EventSummary): readonly ReachLine[] {
  if (ours.reach === null || floor.reach === null) return [];
  const times = ({ nbMs, sbMs, flowsMs }: NonNullable<EventSummary["ours"]["reach"]>) => ({
    ...{ nb: nbMs.p50, sb: sbMs.p50, flows: flowsMs.p50 },
  });
  return [
    {
      ...{ title: kind, repetitions, ours: times(ours.reach), floor: times(floor.reach) },
      ...{ controllerCpuMs: ours.cpuMs, cpu: ours.reach.cpu, floorCpu: floor.reach.cpu },
    },
  ];
}

function mediansOf(all: readonly Reach[]): StageTimes {
  const of = (pick: (reach: Reach) => number) => median(all.map(pick));
  return { nb: of((one) => one.nbMs), sb: of((one) => one.sbMs), flows: of((one) => one.flowsMs) };
}

function meansOf(all: readonly Reach[]): ProcessCpu {
  const of = (name: keyof ProcessCpu) => mean(all.map(({ cpu }) => cpu[name]));
  return {
    nb: of("nb"),
    northd: of("northd"),
    sb: of("sb"),
    controller: of("controller"),
    vswitchd: of("vswitchd"),
  };
}

const titles = ["event", "n", "NB", "SB", "flows", "floor NB", "SB", "flows", "ratio"];
const widths = [34, 4, 8, 8, 8, 10, 8, 8, 7];
const names = ["nb", "northd", "sb", "controller", "vswitchd"] as const;

export function reachLines(result: WorkloadResult): readonly string[] {
  const lines = reachOf(result);
  if (lines.length === 0) return [];
  const { flows, flowsWithoutPolicies } = result.ends;
  const cpuTitles = ["northgate", ...names.map((name) => processTitles[name])];
  return [
    `  until every flow stands: ${flows ?? "?"} OpenFlow rows on the chassis, ${flowsWithoutPolicies ?? "?"} of them without policies`,
    `  ${row([...titles])}  CPU: ${cpuTitles.join(" / ")}; the floor's`,
    ...lines.map((line) => `  ${row(cells(line))}  ${cpuText(line)}`),
  ];
}

function cells({ title, repetitions, ours, floor }: ReachLine): readonly string[] {
  const times = [ours.nb, ours.sb, ours.flows, floor.nb, floor.sb, floor.flows].map(ms);
  return [title, String(repetitions), ...times, (ours.flows / floor.flows).toFixed(2)];
}

function cpuText({ controllerCpuMs, cpu, floorCpu }: ReachLine): string {
  const of = (one: ProcessCpu) => names.map((name) => ms(one[name])).join(" / ");
  return `${ms(controllerCpuMs)} / ${of(cpu)}; ${of(floorCpu)}`;
}

function row(texts: readonly string[]): string {
  return texts
    .map((text, at) => (at === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[at] ?? 8)))
    .join("");
}
