// A metric whose value is kept elsewhere and read at each scrape, so that it is then up to date: one entry of a table.
// Knows no part of the program: its reader does.

import { Counter, Gauge } from "prom-client";
import type { Registry } from "prom-client";

/** Series of one metric: label values, in the order of its label names, and the value. */
export type Series = readonly (readonly [labels: readonly string[], value: number])[];

/** What the reference in docs/metrics.md says of a metric. */
export interface Described {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** When its value changes: Markdown, with links from docs/. */
  readonly moves: string;
}

/** `P`: the parts of the program that it is read from. */
export interface ReadMetric<P> extends Described {
  /** The value of a counter must only grow at its source. */
  readonly type: "gauge" | "counter";
  /** Series that always exist, at zero without the parts; or those that the parts have now, none without. */
  readonly series: readonly FixedSeries<P>[] | ((parts: P) => Series);
}

export interface FixedSeries<P> {
  /** Values, in the order of the label names. */
  readonly labels: readonly string[];
  readonly value: (parts: P) => number;
  /** The value without the parts; 0 unless given. */
  readonly withoutParts?: number;
}

/** The one series of a metric without labels. */
export function alone<P>(value: (parts: P) => number, withoutParts = 0): readonly FixedSeries<P>[] {
  return [{ labels: [], value, withoutParts }];
}

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
