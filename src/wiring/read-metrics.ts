// Every metric that is read from the parts of the program at a scrape: a new one is one entry of this table. Metrics
// that count events are in metrics/metrics.ts.

import { every, policies } from "../dialects.ts";
import type { Engine } from "../controller/engine.ts";
import type { Groups } from "../groups/index.ts";
import type { Loop } from "../controller/loop.ts";
import type { ResourceState } from "../kube/index.ts";
import type { ReadMetric, Series } from "../metrics/read-metric.ts";
import { alone } from "../metrics/read-metric.ts";
import type { NorthboundBackend } from "../nbdb/backend.ts";
import { antreaSelectorOwnerType, selectorOwnerType } from "../nbdb/rows/names.ts";
import type { Northbound } from "../nbdb/rows/schema.ts";
import type { Election } from "../nbdb/write/election.ts";
import type { NorthboundWriter } from "../nbdb/write/northbound-writer.ts";
import type { SocketSession } from "../ovsdb/index.ts";
import type { MissingKinds } from "../status/missing-kinds.ts";
import { crdOf } from "../status/missing-kinds.ts";
import { countNotInForce } from "../status/in-force.ts";
import type { ReportedPolicies } from "../status/reported.ts";
import { notInForceReasons } from "../status/reported.ts";
import { metricsOfKinds } from "./kind-metrics.ts";
import type { OpenedSource } from "./sources.ts";

interface Parts {
  readonly reported: ReportedPolicies;
  readonly engine: Engine;
  readonly backend: NorthboundBackend;
  readonly loop: Loop;
  readonly session: SocketSession<Northbound>;
  readonly writer: NorthboundWriter;
  readonly election: Election;
  readonly groups: Groups;
  readonly source: OpenedSource;
  readonly missingKinds: MissingKinds;
  /** [kind: status or event, outcome: written, skipped or failed]. */
  readonly writes: () => Series;
}

const cached = ["ACL", "Address_Set", "Port_Group", "Logical_Switch_Port"] as const;

const resources =
  (read: (resource: ResourceState) => number) =>
  ({ source }: Parts): Series =>
    source.resources().map((resource) => [[resource.resource], read(resource)]);

export const readMetrics: readonly ReadMetric<Parts>[] = [
  ...metricsOfKinds(every.policies),
  {
    type: "gauge",
    name: "northgate_policies_not_in_force",
    help: "Policies that are not in force as written, by reason.",
    labels: ["reason"],
    series: notInForceReasons.map((reason) => ({
      labels: [reason],
      value: ({ engine, reported }) => countNotInForce(reason, engine.records(), reported),
    })),
  },
  {
    type: "gauge",
    name: "northgate_missing_kind_policies",
    help: "Policies whose rows stay while the API server does not serve their kind.",
    labels: ["crd"],
    series: policies.map((kind) => ({
      labels: [crdOf(kind)],
      value: ({ missingKinds }) => missingKinds.count(kind),
    })),
  },
  {
    type: "gauge",
    name: "northgate_held_back",
    help: "1 while nothing is written though everything is there to write it.",
    labels: [],
    series: alone(({ loop }) => Number(loop.heldBack !== null)),
  },
  {
    type: "gauge",
    name: "northgate_queue_depth",
    help: "Objects waiting to be looked at.",
    labels: [],
    series: alone(({ loop }) => loop.queue.size),
  },
  {
    type: "gauge",
    name: "northgate_queue_oldest_seconds",
    help: "How long the oldest of them has waited.",
    labels: [],
    series: alone(({ loop }) => loop.queue.oldestMs / 1000),
  },
  {
    type: "gauge",
    name: "northgate_nb_connected",
    help: "1 while the Northbound cache is filled and followed.",
    labels: [],
    series: alone(({ session }) => Number(session.ready)),
  },
  {
    type: "gauge",
    name: "northgate_nb_cache_rows",
    help: "Rows held of each table.",
    labels: ["table"],
    series: ({ session }) => cached.map((table) => [[table], session.cache.table(table).size]),
  },
  {
    type: "gauge",
    name: "northgate_shared_address_sets",
    help: "Address_Sets that policies share, one for each selector and family.",
    labels: [],
    series: alone(({ backend }) => {
      const count = backend.actual.count("Address_Set");
      return (count.get(selectorOwnerType) ?? 0) + (count.get(antreaSelectorOwnerType) ?? 0);
    }),
  },
  {
    type: "counter",
    name: "northgate_nb_transactions_total",
    help: "Transactions about rows sent.",
    labels: [],
    series: alone(({ writer }) => writer.stats.transactions),
  },
  {
    type: "gauge",
    name: "northgate_leader",
    help: "1 while this instance is the one that writes.",
    labels: [],
    series: alone(({ election }) => Number(election.leads)),
  },
  {
    type: "counter",
    name: "northgate_election_transactions_total",
    help: "Transactions about who writes, by what they were for.",
    labels: ["kind"],
    series: ({ election }) => Object.entries(election.stats).map(([kind, count]) => [[kind], count]),
  },
  {
    type: "counter",
    name: "northgate_drift_repairs_total",
    help: "Policies whose rows another client had changed and that were put right.",
    labels: [],
    series: alone(({ backend }) => backend.corrections.counts.repair),
  },
  {
    type: "counter",
    name: "northgate_sweeps_total",
    help: "Policies that do not exist and whose rows were removed.",
    labels: [],
    series: alone(({ backend }) => backend.corrections.counts.sweep),
  },
  {
    type: "counter",
    name: "northgate_takeovers_total",
    help: "Policies whose rows of an earlier run were brought up to date.",
    labels: [],
    series: alone(({ backend }) => backend.corrections.counts.takeover),
  },
  {
    type: "gauge",
    name: "northgate_contested_policies",
    help: "Policies whose rows another program writes too.",
    labels: [],
    series: alone(({ backend }) => backend.corrections.contest.contested().size),
  },
  {
    type: "counter",
    name: "northgate_nb_reconnects_total",
    help: "Connections after the first.",
    labels: [],
    series: alone(({ session }) => Math.max(0, session.stats.fills - 1)),
  },
  {
    type: "counter",
    name: "northgate_selector_evaluations_total",
    help: "Selectors held against a label set.",
    labels: [],
    series: alone(({ groups }) => groups.stats.selectorEvaluations),
  },
  {
    type: "gauge",
    name: "northgate_source_objects",
    help: "Objects held of each resource.",
    labels: ["resource"],
    series: resources(({ objects }) => objects),
  },
  {
    type: "gauge",
    name: "northgate_source_synced",
    help: "1 once a resource has been listed.",
    labels: ["resource"],
    series: resources(({ synced }) => Number(synced)),
  },
  {
    type: "counter",
    name: "northgate_source_requests_total",
    help: "Lists and watches sent.",
    labels: ["resource"],
    series: resources(({ stats }) => stats.requests),
  },
  {
    type: "counter",
    name: "northgate_source_watches_total",
    help: "Watches accepted.",
    labels: ["resource"],
    series: resources(({ stats }) => stats.watches),
  },
  {
    type: "counter",
    name: "northgate_source_relists_total",
    help: "Lists made again.",
    labels: ["resource", "reason"],
    series: ({ source }) =>
      source
        .resources()
        .flatMap(({ resource, stats }) =>
          Object.entries(stats.relists).map(([reason, count]) => [[resource, reason], count] as const),
        ),
  },
  {
    type: "counter",
    name: "northgate_writes_total",
    help: "Conditions and events by what became of them.",
    labels: ["kind", "outcome"],
    series: ({ writes }) => writes(),
  },
];
