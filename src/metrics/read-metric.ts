// A metric whose value is kept elsewhere and read at each scrape, so that it is then up to date: one entry of a table.
// Knows no part of the program: its reader does.

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

/** The same metric, read from a larger whole. */
export function readIn<P, Q>(metric: ReadMetric<P>, partOf: (whole: Q) => P): ReadMetric<Q> {
  const { series, ...described } = metric;
  if (typeof series === "function") return { ...described, series: (whole) => series(partOf(whole)) };
  return {
    ...described,
    series: series.map(({ value, ...fixed }) => ({ ...fixed, value: (whole) => value(partOf(whole)) })),
  };
}
