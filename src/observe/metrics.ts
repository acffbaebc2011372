// The metrics of a node's reader. A series of a rule has no address and no name of a pod in its labels; there are no more than
// `mostSeries` rules with series, and what is left out is counted.

import type { ReadMetric, Series } from "../metrics/read-metric.ts";
import { alone } from "../metrics/read-metric.ts";
import type { NodeReader } from "./node-reader.ts";
import type { RuleCount } from "./tally.ts";

/** Counts that have series, at most. */
export const mostSeries = 20_000;

type Reader = Pick<NodeReader, "counts" | "readings" | "ageMs">;

const labels = ["kind", "namespace", "policy", "direction", "rule", "action", "state"];
const moves = "each reading of the switch, every `--interval`";

/** Of rules that packets of this node can meet, or have met. */
function here({ counts }: Pick<Reader, "counts">): readonly RuleCount[] {
  return counts.filter(({ entries, packets }) => entries > 0 || packets > 0);
}

function seriesOf(reader: Reader, column: "packets" | "bytes"): Series {
  return here(reader)
    .slice(0, mostSeries)
    .map(({ rule: { policy, direction, rule, action }, state, ...count }) => [
      [policy.kind, policy.namespace ?? "", policy.name, direction, String(rule ?? ""), action, state],
      count[column],
    ]);
}

export const observeMetrics: readonly ReadMetric<Reader>[] = [
  {
    type: "counter",
    name: "northgate_rule_packets_total",
    help: "Packets of this node that the rule has decided or passed, since the reader has started.",
    ...{ labels, moves, series: (reader) => seriesOf(reader, "packets") },
  },
  {
    type: "counter",
    name: "northgate_rule_bytes_total",
    help: "Bytes of these packets.",
    ...{ labels, moves, series: (reader) => seriesOf(reader, "bytes") },
  },
  {
    type: "gauge",
    name: "northgate_rule_series_left_out",
    help: `Counts of rules that have no series, because ${mostSeries} have.`,
    ...{ labels: [], moves },
    series: alone((reader) => Math.max(0, here(reader).length - mostSeries)),
  },
  {
    type: "counter",
    name: "northgate_switch_readings_total",
    help: "Readings of the switch, by whether they have succeeded.",
    ...{ labels: ["result"], moves: "each reading" },
    series: (["ok", "failed"] as const).map((result) => ({
      labels: [result],
      value: ({ readings }) => readings[result],
    })),
  },
  {
    type: "gauge",
    name: "northgate_switch_reading_age_seconds",
    help: "Time since the switch was read last; -1: it was not read yet.",
    ...{ labels: [], moves: "always" },
    series: alone(({ ageMs }) => (ageMs === null ? -1 : ageMs / 1000), -1),
  },
];
