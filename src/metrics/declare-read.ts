// Declares a metric of the table in a registry: its value is read at each scrape.

import type { Registry } from "prom-client";
import { Counter, Gauge } from "prom-client";
import type { ReadMetric, Series } from "./read-metric.ts";

/** Without parts (null), the series that always exist are zero, or what they say. */
export function declareRead<P>(metric: ReadMetric<P>, parts: P | null, registry: Registry): void {
  const { type, name, help } = metric;
  const configuration = { name, help, labelNames: [...metric.labels], registers: [registry] };
  const labelled = (values: readonly string[]): Record<string, string> =>
    Object.fromEntries(metric.labels.map((label, at) => [label, values[at] ?? ""]));
  if (type === "gauge")
    new Gauge({
      ...configuration,
      collect() {
        this.reset();
        for (const [labels, value] of seriesOf(metric, parts)) this.set(labelled(labels), value);
      },
    });
  else
    new Counter({
      ...configuration,
      collect() {
        this.reset();
        for (const [labels, value] of seriesOf(metric, parts)) this.inc(labelled(labels), value);
      },
    });
}

function seriesOf<P>({ series }: ReadMetric<P>, parts: P | null): Series {
  if (typeof series === "function") return parts === null ? [] : series(parts);
  return series.map(({ labels, value, withoutParts = 0 }) => [
    labels,
    parts === null ? withoutParts : value(parts),
  ]);
}
