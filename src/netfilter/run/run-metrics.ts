// The metrics of a run that writes the packet filter of its node.

import { invariant } from "../../lib/invariant.ts";
import type { ReadMetric } from "../../metrics/read-metric.ts";
import { alone, readIn } from "../../metrics/read-metric.ts";
import type { RunningBackend } from "../../running-backend.ts";
import { countsOf } from "../live/actual.ts";
import { NetfilterRun } from "./netfilter-run.ts";

const ownMetrics: readonly ReadMetric<NetfilterRun>[] = [
  {
    ...{ type: "gauge", name: "northgate_netfilter_known", labels: [] },
    help: "1 while what the node's packet filter has is known.",
    moves: "a reading; a write that ends with an error",
    series: alone(({ filter }) => Number(filter.known !== null)),
  },
  {
    ...{ type: "gauge", name: "northgate_netfilter_rules", labels: [] },
    help: "Rules of Northgate's in the node's filter table, of both families.",
    moves: "a write; a reading",
    series: alone(({ filter }) => countsOf(filter.known).rules),
  },
  {
    ...{ type: "gauge", name: "northgate_netfilter_sets", labels: [] },
    help: "Sets of Northgate's on the node, of both families.",
    moves: "a write; a reading",
    series: alone(({ filter }) => countsOf(filter.known).sets),
  },
  {
    ...{ type: "gauge", name: "northgate_netfilter_addresses", labels: [] },
    help: "Addresses in Northgate's sets on the node, of both families, each as often as it is in a set.",
    moves: "a write; a reading",
    series: alone(({ filter }) => countsOf(filter.known).addresses),
  },
  {
    ...{ type: "counter", name: "northgate_netfilter_tool_runs_total", labels: ["tool", "outcome"] },
    help: "Runs of the tools: ok, refused (what was written is not accepted), lost (the tool did not end well).",
    moves: "a tool ends",
    series: ({ runs }) => runs.series,
  },
];

export const netfilterMetrics: readonly ReadMetric<RunningBackend>[] = ownMetrics.map((metric) =>
  readIn(metric, (running: RunningBackend) => {
    invariant(running instanceof NetfilterRun, "the run is of another backend");
    return running;
  }),
);
