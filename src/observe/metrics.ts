// The metrics of a node's reader. A series of a rule has no address and no name of a pod in its labels; there are no more than
// `mostSeries` rules with series, and what is left out is counted.

import { ruleSeries } from "../hits/series.ts";
import type { ReadMetric, Series } from "../metrics/read-metric.ts";
import { alone } from "../metrics/read-metric.ts";
import type { NodeReader } from "./node-reader.ts";
import type { NodeSamples, SampleCounts } from "./node-samples.ts";
import type { ObservedRule } from "./rule.ts";
import { keyOfRule } from "./rule.ts";
import type { RuleCount } from "./tally.ts";

/** Counts that have series, at most. */
export const mostSeries = 20_000;

interface Parts {
  readonly reader: Pick<NodeReader, "counts" | "readings" | "ageMs" | "readAtMs">;
  /** The name of the node. */
  readonly node: string;
  /** null: nothing is sampled. */
  readonly samples: Pick<NodeSamples, "counts" | "hub"> | null;
}

/** What has become of samples, by what is told of it. */
const fates = {
  ...{ records: "read", repeated: "repeated", unknown: "unknown", other: "other" },
  ...{ lost: "lost", unread: "unread", malformed: "malformed" },
  ...{ withoutTemplate: "without_template", overLimit: "over_limit" },
} as const satisfies Partial<Record<keyof SampleCounts, string>>;

const moves = "each reading of the switch, every `--interval`";

/** Of rules that packets of this node can meet, or have met. */
function here({ reader: { counts } }: Parts): readonly RuleCount[] {
  return counts.filter(({ entries, packets }) => entries > 0 || packets > 0);
}

function shown(parts: Parts): readonly RuleCount[] {
  return here(parts).slice(0, mostSeries);
}

function seriesOf(parts: Parts, column: "packets" | "bytes"): Series {
  return shown(parts).map(({ rule, state, [column]: count }) => [[...labelsOf(rule), state], count]);
}

function labelsOf({ policy, direction, rule, action }: ObservedRule): readonly string[] {
  const { group, kind, namespace, name } = policy;
  return [group, kind, namespace ?? "", name, direction, String(rule ?? ""), action];
}

/** One for each rule: of its states the latest, from which all have counted. */
function sinces(parts: Parts): Series {
  const byRule = Map.groupBy(shown(parts), ({ rule }) => keyOfRule(rule));
  return Array.from(byRule.values(), (counts) => {
    const sinceMs = Math.max(...counts.map((count) => count.sinceMs ?? 0));
    return [counts.slice(0, 1).flatMap(({ rule }) => labelsOf(rule)), seconds(sinceMs)];
  });
}

/** In whole seconds, as people compare times. */
function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

export const observeMetrics: readonly ReadMetric<Parts>[] = [
  {
    type: "counter",
    name: ruleSeries.packets.name,
    help: "Packets of this node that the rule has decided or passed, since the reader has started.",
    ...{ labels: ruleSeries.packets.labels, moves, series: (parts) => seriesOf(parts, "packets") },
  },
  {
    type: "counter",
    name: ruleSeries.bytes.name,
    help: "Bytes of these packets.",
    ...{ labels: ruleSeries.bytes.labels, moves, series: (parts) => seriesOf(parts, "bytes") },
  },
  {
    type: "gauge",
    name: ruleSeries.countedSince.name,
    help: "Unix time since which the reader has counted the rule: nothing before is in its counts.",
    ...{
      labels: ruleSeries.countedSince.labels,
      moves: "packets of this node can meet another rule",
      series: sinces,
    },
  },
  {
    type: "gauge",
    name: ruleSeries.leftOut.name,
    help: `Counts of rules that have no series, because ${mostSeries} have.`,
    ...{ labels: [], moves },
    series: alone((parts) => Math.max(0, here(parts).length - mostSeries)),
  },
  {
    type: "counter",
    name: "northgate_switch_readings_total",
    help: "Readings of the switch, by whether they have succeeded.",
    ...{ labels: ["result"], moves: "each reading" },
    series: (["ok", "failed"] as const).map((result) => ({
      labels: [result],
      value: ({ reader: { readings } }) => readings[result],
    })),
  },
  {
    type: "gauge",
    name: "northgate_switch_reading_age_seconds",
    help: "Time since the switch was read last; -1: it was not read yet.",
    ...{ labels: [], moves: "always" },
    series: alone(({ reader: { ageMs } }) => (ageMs === null ? -1 : ageMs / 1000), -1),
  },
  {
    type: "gauge",
    name: ruleSeries.readAt.name,
    help: "Unix time of the last reading of the switch; 0: it was not read yet.",
    ...{ labels: [], moves },
    series: alone(({ reader: { readAtMs } }) => (readAtMs === null ? 0 : Math.floor(readAtMs / 1000))),
  },
  {
    type: "gauge",
    name: ruleSeries.node.name,
    help: "Always 1; the name of the node whose switch is read.",
    ...{ labels: ruleSeries.node.labels, moves: "never", series: ({ node }) => [[[node], 1]] },
  },
  {
    type: "counter",
    name: "northgate_samples_total",
    help:
      "Samples of packets by what has become of them: records that were read, and among these repeats, such of no rule, and such that are " +
      "about no packet of IP; records that did not arrive; datagrams that came too fast or are malformed; sets without a template, and templates and records over the limits.",
    ...{ labels: ["result"], moves: "a datagram arrives, while a program watches" },
    series: Object.entries(fates).map(([count, fate]) => ({
      labels: [fate],
      value: ({ samples }) => samples?.counts?.[count as keyof typeof fates] ?? 0,
    })),
  },
  {
    type: "gauge",
    name: "northgate_watchers",
    help: "Programs that follow what is seen on this node.",
    ...{ labels: [], moves: "`northgate observe --follow` begins or ends" },
    series: alone(({ samples }) => samples?.hub.watchers ?? 0),
  },
];
