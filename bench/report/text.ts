// The results as a person reads them on a terminal: ours, the floor, and the ratio of the two.

import type { WorkloadResult } from "../run/bench.ts";
import { type EventSummary, mean, spread, type Spread } from "../run/measurement.ts";

export function median(values: readonly number[]): number {
  return spread(values)?.p50 ?? 0;
}

export function ms(value: number | null | undefined): string {
  if (value === null || value === undefined) return "-";
  if (value < 10) return value.toFixed(1);
  return value < 10_000 ? String(Math.round(value)) : `${(value / 1000).toFixed(1)} s`;
}

/** With its unit, for a sentence. */
export function duration(value: number | null | undefined): string {
  const text = ms(value);
  return /\d$/.test(text) ? `${text} ms` : text;
}

export function megabytes(bytes: number): string {
  return bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The better of the floor's ways, median of its rounds. */
export function floorMs({ cold }: WorkloadResult): number {
  return median(cold.map(({ floor }) => Math.min(floor.perPolicyMs, floor.atOnceMs ?? Infinity)));
}

export function coldLines(result: WorkloadResult): readonly string[] {
  const { ends, cold, workload, mode } = result;
  const ours = cold.map((one) => one.ours);
  const floor = cold.map((one) => one.floor);
  const of = (pick: (one: (typeof ours)[number]) => number) => median(ours.map(pick));
  const atOnce = floor.map((one) => one.atOnceMs).filter((value) => value !== null);
  const right = of((one) => one.allMs);
  return [
    `${workload.name} ${mode}: ${ends.portGroups} port groups, ${ends.acls} ACLs, ${ends.addressSets} address sets, ${ends.addresses} addresses`,
    `  cold start, ${cold.length} times, medians`,
    `    rows right  ${duration(right)} = ${(right / floorMs(result)).toFixed(2)} x floor`,
    `    quiet       ${duration(of((one) => one.quietMs))}, CPU ${duration(of((one) => one.cpuMs))}, peak RSS ${megabytes(of((one) => one.peakRssBytes))}, longest stall ${duration(of((one) => one.lagMaxMs))}`,
    `    wrote       ${of((one) => one.transactions)} transactions, ${of((one) => one.operations)} operations, ${megabytes(of((one) => one.bytes))}; ${of((one) => one.selectorEvaluations)} selector evaluations`,
    `    server      CPU ${duration(of((one) => one.serverCpuMs))}, peak RSS ${megabytes(of((one) => one.serverPeakRssBytes))}`,
    `    floor       a transaction a policy ${duration(median(floor.map((one) => one.perPolicyMs)))}, one for all ${duration(atOnce.length === 0 ? null : median(atOnce))}; server CPU ${duration(mean(floor.map((one) => one.serverCpuMs)))}, ${megabytes(floor[0]?.bytes ?? 0)}`,
  ];
}

const columns = [
  ["event", 34],
  ["n", 4],
  ["rows", 6],
  ["first", 7],
  ["p50", 7],
  ["p99", 7],
  ["max", 7],
  ["floor p50", 10],
  ["max", 7],
  ["ratio", 7],
  ["CPU", 7],
  ["srv CPU", 8],
  ["floor's", 8],
  ["txn", 5],
  ["ops", 7],
  ["bytes", 10],
  ["floor's", 10],
  ["evals", 7],
  ["stall", 7],
] as const;

export function eventLines(events: readonly EventSummary[]): readonly string[] {
  if (events.length === 0) return [];
  return [line(columns.map(([title]) => title)), ...events.map((event) => line(cells(event)))];
}

function cells({ kind, repetitions, rows, ours, floor, ratio }: EventSummary): readonly string[] {
  const of = (values: Spread | null, which: keyof Spread) => ms(values?.[which]);
  return [
    kind,
    ...[repetitions, Math.round(rows)].map(String),
    ...[of(ours.firstMs, "p50"), of(ours.allMs, "p50"), of(ours.allMs, "p99"), of(ours.allMs, "max")],
    ...[of(floor.allMs, "p50"), of(floor.allMs, "max"), ratio === null ? "-" : ratio.toFixed(2)],
    ...[ms(ours.cpuMs), ms(ours.serverCpuMs), ms(floor.serverCpuMs)],
    ...[ours.transactions.toFixed(1), String(Math.round(ours.operations))],
    ...[megabytes(ours.bytes), megabytes(floor.bytes)],
    ...[String(Math.round(ours.selectorEvaluations)), ms(ours.lagMaxMs)],
  ];
}

function line(texts: readonly string[]): string {
  return texts
    .map((text, at) => (at === 0 ? text.padEnd(columns[0][1]) : text.padStart(columns[at]?.[1] ?? 8)))
    .join("");
}

export function resumptionLines({ resumptions }: WorkloadResult): readonly string[] {
  return resumptions.map(
    ({ kind, quietMs, readyMs, cpuMs, operations, bytesReceived, peakRssBytes }) =>
      `  ${kind}: ${operations} operations, quiet after ${duration(quietMs)}${sinceFull(readyMs)}, CPU ${duration(cpuMs)}, read ${megabytes(bytesReceived)}, peak RSS ${megabytes(peakRssBytes)}`,
  );
}

/** How long it took with full caches, where they had to be filled. */
export function sinceFull(readyMs: number | null): string {
  return readyMs === null ? "" : ` (${duration(readyMs)} after its caches were full)`;
}
