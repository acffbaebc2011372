// Every metric that is read from the parts of the program at a scrape: a new one is one entry of this table. Metrics
// that count events are in metrics/metrics.ts.

import type { LiveBackend } from "../backend-kind.ts";
import { everyDialect } from "../dialects.ts";
import type { Engine } from "../controller/engine.ts";
import type { Groups } from "../groups/index.ts";
import type { Loop } from "../controller/loop.ts";
import { isOfCrd } from "../kube/index.ts";
import type { ReadMetric } from "../metrics/read-metric.ts";
import { alone, readIn } from "../metrics/read-metric.ts";
import type { RunningBackend } from "../running-backend.ts";
import type { MissingKinds } from "../status/missing-kinds.ts";
import { crdOf } from "../status/missing-kinds.ts";
import { countNotInForce } from "../status/in-force.ts";
import type { ReportedPolicies } from "../status/reported.ts";
import { notInForceReasons } from "../status/reported.ts";
import { metricsOfKinds } from "./kind-metrics.ts";
import type { NamesParts } from "./names/name-metrics.ts";
import { nameMetrics } from "./names/name-metrics.ts";
import type { SourceParts } from "./source-metrics.ts";
import { sourceMetrics } from "./source-metrics.ts";

interface Parts {
  readonly reported: ReportedPolicies;
  readonly engine: Engine;
  readonly loop: Loop;
  readonly running: RunningBackend;
  readonly groups: Groups;
  readonly missingKinds: MissingKinds;
  /** What /readyz answers. */
  readonly isReady: () => boolean;
}

const ownMetrics: readonly ReadMetric<Parts>[] = [
  {
    type: "gauge",
    name: "northgate_ready",
    help: "1 while /readyz answers 200: the rows are in sync with the policies, or another instance keeps them in sync.",
    labels: [],
    moves: "[what /readyz asks](operations.md#health-and-readiness)",
    series: alone(({ isReady }) => Number(isReady()), 1),
  },
  {
    type: "gauge",
    name: "northgate_policies_not_in_force",
    help: "Policies that are not in force as written, each under one reason; rows of an earlier version may still exist.",
    labels: ["reason"],
    moves: "each report on a policy",
    series: notInForceReasons.map((reason) => ({
      labels: [reason],
      value: ({ engine, reported }) => countNotInForce(reason, engine.records(), reported),
    })),
  },
  {
    type: "gauge",
    name: "northgate_missing_kind_policies",
    help: "Policies whose rows are kept while the API server does not serve their kind.",
    labels: ["crd"],
    moves: "a CRD is deleted or created",
    series: everyDialect.policies.filter(isOfCrd).map((kind) => ({
      labels: [crdOf(kind)],
      value: ({ missingKinds }) => missingKinds.count(kind),
    })),
  },
  {
    type: "gauge",
    name: "northgate_held_back",
    help: "1 while nothing is written although everything needed to write is available.",
    labels: [],
    moves:
      "[the source](operations.md#an-empty-source) shows an object, [the zone](operations.md#a-wrong-zone) is right",
    series: alone(({ loop }) => Number(loop.heldBack !== null)),
  },
  {
    type: "gauge",
    name: "northgate_queue_depth",
    help: "Objects waiting to be processed.",
    labels: [],
    moves: "a source reports a change; a pass processes them",
    series: alone(({ loop }) => loop.queue.size),
  },
  {
    type: "gauge",
    name: "northgate_queue_oldest_seconds",
    help: "How long the oldest of them has waited, in seconds; 0 when none waits.",
    labels: [],
    moves: "time, while the queue is not empty",
    series: alone(({ loop }) => loop.queue.oldestMs / 1000),
  },
  {
    type: "gauge",
    name: "northgate_leader",
    help: "1 while this instance writes to the database.",
    labels: [],
    moves: "[a transition](operations.md#more-than-one-instance)",
    series: alone(({ running }) => Number(running.role.leads)),
  },
  {
    type: "gauge",
    name: "northgate_standby",
    help: "1 while another instance writes to the same database.",
    labels: [],
    moves: "a transition",
    series: alone(({ running: { role } }) => Number(!role.leads && role.other !== null)),
  },
  {
    type: "counter",
    name: "northgate_selector_evaluations_total",
    help: "Selectors compared with a label set.",
    labels: [],
    moves: "a new label set or a new selector; not a new replica",
    series: alone(({ groups }) => groups.stats.selectorEvaluations),
  },
];

/** What the metrics are read from. */
export type MetricParts = Parts & SourceParts & NamesParts;

/** The backend's own metrics are among them. */
export function readMetrics(backend: Pick<LiveBackend, "metrics">): readonly ReadMetric<MetricParts>[] {
  return [
    ...metricsOfKinds(everyDialect.policies),
    ...ownMetrics,
    ...backend.metrics.map((metric) => readIn(metric, ({ running }: Parts) => running)),
    ...sourceMetrics,
    ...nameMetrics,
  ];
}
