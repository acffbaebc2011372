// Every metric that the program serves, as its registry has it: what the reference in docs/metrics.md, the dashboard's test
// and the alerts' test go by. Invariant: a family that the registry has is in the list, and no other is.

import type { Registry } from "prom-client";
import { Metrics, countedMetrics } from "../../src/metrics/metrics.ts";
import { observeMetrics } from "../../src/observe/metrics.ts";
import { problemCodes } from "../../src/model/problem.ts";
import { backends, backendNamed } from "../../src/backends.ts";
import { readMetrics } from "../../src/wiring/read-metrics.ts";
import { sourceMetrics } from "../../src/wiring/source-metrics.ts";

/** Where a family stands in the reference. `ovn`: with the name that OVN-Kubernetes gave it. */
export type Topic = "ovn" | "own" | "source" | "process";

export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** `label` to the values that exist before anything happens; without those, the values come with the series. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Markdown; null: not one of ours. */
  readonly moves: string | null;
  readonly topic: Topic;
}

/** Of a run with this backend, in the order in which they are served. */
export async function metricFamilies(backend: string = backends[0].name): Promise<readonly MetricFamily[]> {
  const table = readMetrics(backendNamed(backend).live);
  const { registry } = new Metrics({ table, parts: null }, "", problemCodes);
  const described = [...table, ...Object.values(countedMetrics)];
  const text = await registry.metrics();
  return registry.getMetricsAsArray().map(({ name, help }) => {
    const labels = labelsOf(registry, name);
    const ours = described.find((metric) => metric.name === name) ?? null;
    const values = labels.map((label) => [label, valuesOf(text, name, label)] as const);
    return {
      ...{ name, help, labels, values: new Map(ours === null ? [] : values) },
      type: new RegExp(`^# TYPE ${name} (\\w+)$`, "m").exec(text)?.[1] ?? "",
      moves: ours?.moves ?? null,
      topic: topicOf(name, ours !== null),
    };
  });
}

/** Of `observe-node`, without those that every program has. */
export const observeFamilies: readonly MetricFamily[] = observeMetrics.map(
  ({ name, type, help, labels, moves }) => ({
    ...{ name, type, help, labels, moves },
    ...{ values: new Map<string, readonly string[]>(), topic: "own" },
  }),
);

/** The names of the series of a family: a histogram has three. */
export function seriesNames({ name, type }: MetricFamily): readonly string[] {
  return type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

function topicOf(name: string, isOurs: boolean): Topic {
  if (!isOurs) return "process";
  if (name.startsWith("ovnkube_")) return "ovn";
  return sourceMetrics.some((metric) => metric.name === name) ? "source" : "own";
}

/** prom-client keeps them on every metric and declares them on none. */
function labelsOf(registry: Registry, name: string): readonly string[] {
  const metric: unknown = registry.getSingleMetric(name);
  if (typeof metric !== "object" || metric === null || !("labelNames" in metric)) return [];
  return Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
}

function valuesOf(text: string, name: string, label: string): readonly string[] {
  const series = new RegExp(`^${name}\\{(?:.*,)?${label}="([^"]*)"`, "gm");
  return [...new Set([...text.matchAll(series)].map(([, value = ""]) => value))].filter(
    (value) => value !== "",
  );
}
