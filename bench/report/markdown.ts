// The results as tables and one chart a workload, for docs/performance-figures.md. Ratios to the floor come first: times depend on
// the machine, ratios much less.

import type { Results } from "./results.ts";
import type { WorkloadResult } from "../run/bench.ts";
import type { EventSummary } from "../run/measurement.ts";
import { peer, peerNote } from "./peer.ts";
import { type Bar, barChart } from "./svg.ts";
import { duration, floorMs, median, megabytes, ms, sinceFull } from "./text.ts";

export interface Rendered {
  readonly markdown: string;
  /** SVG by file name. */
  readonly charts: ReadonlyMap<string, string>;
}

export function render(runs: readonly Results[]): Rendered {
  const charts = new Map<string, string>();
  const parts = runs.flatMap((run) =>
    run.workloads.flatMap((result) => {
      const file = `bench-${result.workload.name}-${result.mode}.svg`;
      charts.set(file, chart(result));
      return section(result, run, file);
    }),
  );
  return { markdown: [...parts, peerNote, ""].join("\n"), charts };
}

function section(result: WorkloadResult, run: Results, file: string): readonly string[] {
  const { workload, mode, ends, cold, events, resumptions } = result;
  const { namespaces, podCount, policies, rules, nodes } = workload;
  const ours = cold.map((one) => one.ours);
  const of = (pick: (one: (typeof ours)[number]) => number) => median(ours.map(pick));
  const right = of((one) => one.allMs);
  return [
    `### ${workload.name}, ${mode} mode`,
    "",
    `${count(podCount)} pods in ${count(namespaces)} namespaces on ${count(nodes)} nodes, ${policies} policies of ${rules} + ${rules} rules: ` +
      `${count(ends.portGroups)} port groups, ${count(ends.acls)} ACLs, ${count(ends.addressSets)} address sets, ${count(ends.addresses)} addresses. ` +
      `${run.machine}; Node ${run.node}, OVN ${run.ovn}; load ${run.load.map((load) => load.toFixed(1)).join(" to ")}; ${run.when.slice(0, 10)}.`,
    "",
    `![${workload.name}](img/${file})`,
    "",
    "| cold start | |",
    "| --- | --- |",
    `| **over the floor** | **${(right / floorMs(result)).toFixed(2)}** |`,
    `| rows right; the floor | ${duration(right)}; ${duration(floorMs(result))} |`,
    `| controller quiet | ${duration(of((one) => one.quietMs))} |`,
    `| CPU, longest stall of the event loop | ${duration(of((one) => one.cpuMs))}, ${duration(of((one) => one.lagMaxMs))} |`,
    `| peak RSS; the server's | ${megabytes(of((one) => one.peakRssBytes))}; ${megabytes(of((one) => one.serverPeakRssBytes))} |`,
    `| written | ${of((one) => one.transactions)} transactions, ${count(of((one) => one.operations))} operations, ${megabytes(of((one) => one.bytes))} |`,
    ...resumptions.map(
      ({ kind, operations, quietMs, readyMs, cpuMs }) =>
        `| ${kind} | ${operations} operations; quiet after ${duration(quietMs)}${sinceFull(readyMs)}, CPU ${duration(cpuMs)} |`,
    ),
    "",
    ...(events.length === 0 ? [] : eventTable(events)),
  ];
}

function eventTable(events: readonly EventSummary[]): readonly string[] {
  return [
    "| event | n | **over the floor** | all rows p50 / p99 / max | floor p50 / max | first row p50 | CPU | transactions | operations: ours, floor | bytes: ours, floor | selectors evaluated |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...events.map(({ kind, repetitions, ours, floor, ratio }) => {
      const cells = [
        kind,
        String(repetitions),
        ratio === null ? "–" : `**${ratio.toFixed(2)}**`,
        [ours.allMs?.p50, ours.allMs?.p99, ours.allMs?.max].map(ms).join(" / "),
        [floor.allMs?.p50, floor.allMs?.max].map(ms).join(" / "),
        ms(ours.firstMs?.p50),
        ms(ours.cpuMs),
        ours.transactions.toFixed(1),
        `${count(ours.operations)}, ${count(floor.operations)}`,
        `${megabytes(ours.bytes)}, ${megabytes(floor.bytes)}`,
        count(ours.selectorEvaluations),
      ];
      return `| ${cells.join(" | ")} |`;
    }),
    "",
    "Times in milliseconds, p99 from 100 events on; CPU, transactions, operations and bytes are means of one event.",
    "",
  ];
}

function chart(result: WorkloadResult): string {
  const figures = result.mode === "central" ? peer[result.workload.name] : undefined;
  const bars = (ours: number | null, floor: number | null, theirs: number | undefined): readonly Bar[] => [
    bar("northgate", ours),
    bar("floor: the same rows written raw", floor),
    ...(figures === undefined ? [] : [bar("ovn-kubernetes", theirs ?? null)]),
  ];
  const cold = median(result.cold.map(({ ours }) => ours.allMs));
  return barChart(`${result.workload.name}, ${result.mode} mode: until all rows are right, medians`, "ms", [
    { title: "cold start", bars: bars(cold, floorMs(result), figures?.coldMs) },
    ...result.events
      .filter(({ ours }) => ours.allMs !== null)
      .map(({ kind, ours, floor }) => ({
        title: kind,
        bars: bars(ours.allMs?.p50 ?? null, floor.allMs?.p50 ?? null, figures?.allMs[kind]),
      })),
  ]);
}

function bar(label: string, value: number | null): Bar {
  return { label, value, text: duration(value) };
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}
