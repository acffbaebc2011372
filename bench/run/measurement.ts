// What is measured of one event, and what many measurements of one kind of event come to.

import { each, type ProcessCpu, type Reach } from "./reach.ts";

/** The controller's side. Times are from the event's beginning in its process to the observer's sight; null where no row moves. */
export interface Ours {
  readonly firstMs: number | null;
  readonly allMs: number | null;
  readonly cpuMs: number;
  readonly serverCpuMs: number;
  readonly transactions: number;
  readonly operations: number;
  readonly bytes: number;
  readonly selectorEvaluations: number;
  readonly lagMaxMs: number;
  /** null: no row moves, or there is no chassis. */
  readonly reach: Reach | null;
}

/** The floor's side: one transaction of exactly what the rows need. */
export interface Raw {
  readonly allMs: number | null;
  readonly serverCpuMs: number;
  readonly operations: number;
  readonly bytes: number;
  readonly reach: Reach | null;
}

export interface Measurement {
  readonly ours: Ours;
  readonly floor: Raw;
  /** Rows that had to change. */
  readonly rows: number;
}

export interface Spread {
  readonly p50: number;
  /** null: of fewer values than a hundredth part can be told of. */
  readonly p99: number | null;
  readonly max: number;
}

/** Times from the beginning of the event; CPU is the mean of one. */
export interface ReachSummary {
  readonly nbMs: Spread;
  readonly sbMs: Spread;
  readonly flowsMs: Spread;
  readonly cpu: ProcessCpu;
}

export interface EventSummary {
  readonly kind: string;
  readonly repetitions: number;
  readonly rows: number;
  /** Means of an event, but for the spreads. */
  readonly ours: Omit<Ours, "firstMs" | "allMs" | "reach"> & {
    readonly firstMs: Spread | null;
    readonly allMs: Spread | null;
    readonly reach: ReachSummary | null;
  };
  readonly floor: Omit<Raw, "allMs" | "reach"> & {
    readonly allMs: Spread | null;
    readonly reach: ReachSummary | null;
  };
  /** Ours over the floor, of the medians of all rows; null where no row moves. */
  readonly ratio: number | null;
}

export function summarise(kind: string, measurements: readonly Measurement[]): EventSummary {
  const ours = measurements.map((one) => one.ours);
  const floor = measurements.map((one) => one.floor);
  const [all, floorAll] = [spread(ours.map((one) => one.allMs)), spread(floor.map((one) => one.allMs))];
  return {
    kind,
    repetitions: measurements.length,
    rows: mean(measurements.map((one) => one.rows)),
    ours: {
      firstMs: spread(ours.map((one) => one.firstMs)),
      allMs: all,
      cpuMs: mean(ours.map((one) => one.cpuMs)),
      serverCpuMs: mean(ours.map((one) => one.serverCpuMs)),
      transactions: mean(ours.map((one) => one.transactions)),
      operations: mean(ours.map((one) => one.operations)),
      bytes: mean(ours.map((one) => one.bytes)),
      selectorEvaluations: mean(ours.map((one) => one.selectorEvaluations)),
      lagMaxMs: Math.max(...ours.map((one) => one.lagMaxMs)),
      reach: reachSummary(ours),
    },
    floor: {
      allMs: floorAll,
      serverCpuMs: mean(floor.map((one) => one.serverCpuMs)),
      operations: mean(floor.map((one) => one.operations)),
      bytes: mean(floor.map((one) => one.bytes)),
      reach: reachSummary(floor),
    },
    ratio: all === null || floorAll === null ? null : all.p50 / floorAll.p50,
  };
}

function reachSummary(all: readonly { readonly reach: Reach | null }[]): ReachSummary | null {
  const reached = all.map(({ reach }) => reach).filter((reach) => reach !== null);
  const of = (pick: (reach: Reach) => number) => spread(reached.map(pick));
  const [nbMs, sbMs, flowsMs] = [of((one) => one.nbMs), of((one) => one.sbMs), of((one) => one.flowsMs)];
  if (nbMs === null || sbMs === null || flowsMs === null) return null;
  return { nbMs, sbMs, flowsMs, cpu: each((name) => mean(reached.map(({ cpu }) => cpu[name]))) };
}

/** Nearest rank; null when there is nothing to order. */
export function spread(values: readonly (number | null)[]): Spread | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const p99 = sorted.length < 100 ? null : at(0.99);
  return sorted.length === 0 ? null : { p50: at(0.5), p99, max: at(1) };
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
