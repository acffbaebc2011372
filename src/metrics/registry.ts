// A registry with what every program of ours serves: the metrics of its table, its version, and the process's own.

import { Gauge, Registry, collectDefaultMetrics } from "prom-client";
import { declareRead } from "./declare-read.ts";
import type { Described, ReadMetric } from "./read-metric.ts";

export const buildMetric = {
  name: "northgate_build_info",
  help: "Always 1; the version of the program.",
  labels: ["version"],
  moves: "never",
} as const satisfies Described;

/** Metrics that are read, and the parts to read them from; parts null: no such parts are running. */
export interface Readings<P> {
  readonly table: readonly ReadMetric<P>[];
  readonly parts: P | null;
}

export function declareAll<P>(registry: Registry, { table, parts }: Readings<P>): void {
  for (const metric of table) declareRead(metric, parts, registry);
}

export function declareProcess(registry: Registry, version: string): void {
  const { name, help, labels } = buildMetric;
  new Gauge({ name, help, labelNames: labels, registers: [registry] }).set({ version }, 1);
  collectDefaultMetrics({ register: registry });
  // Gauges with names that end in `total`, which promtool refuses; the same without the suffix stay.
  for (const what of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
}

/** Of a program without metrics that count events. */
export function registryOf<P>(readings: Readings<P>, version: string): Registry {
  const registry = new Registry();
  declareAll(registry, readings);
  declareProcess(registry, version);
  return registry;
}
