// Every metric that is read from the parts of the program at a scrape: a new one is one entry of this table. Metrics
// that count events are in metrics/metrics.ts.

import { everyDialect } from "../dialects.ts";
import type { Engine } from "../controller/engine.ts";
import type { Groups } from "../groups/index.ts";
import type { Loop } from "../controller/loop.ts";
import { isOfCrd } from "../kube/index.ts";
import type { ReadMetric } from "../metrics/read-metric.ts";
import { alone } from "../metrics/read-metric.ts";
import type { NorthboundBackend } from "../nbdb/backend.ts";
import { selectorOwnersOf } from "../nbdb/rows/form.ts";
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
import type { SourceParts } from "./source-metrics.ts";
import { sourceMetrics } from "./source-metrics.ts";

interface Parts {
  readonly reported: ReportedPolicies;
  readonly engine: Engine;
  readonly backend: NorthboundBackend;
  readonly loop: Loop;
  readonly session: SocketSession<Northbound>;
  readonly writer: NorthboundWriter;
  readonly election: Election;
  readonly groups: Groups;
  readonly missingKinds: MissingKinds;
  /** What /readyz answers. */
  readonly isReady: () => boolean;
}

const cached = ["ACL", "Address_Set", "Port_Group", "Logical_Switch_Port"] as const;

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
    name: "northgate_nb_connected",
    help: "1 while the Northbound cache is filled and kept in sync.",
    labels: [],
    moves: "connect, disconnect",
    series: alone(({ session }) => Number(session.ready)),
  },
  {
    type: "gauge",
    name: "northgate_nb_cache_rows",
    help: "Rows held of each table: our ACLs, Address_Sets and Port_Groups, and every Logical_Switch_Port.",
    labels: ["table"],
    moves: "the server's updates",
    series: cached.map((table) => ({
      labels: [table],
      value: ({ session }) => session.cache.table(table).size,
    })),
  },
  {
    type: "gauge",
    name: "northgate_shared_address_sets",
    help: "Address_Sets that policies share, one for each selector and family; they are in no kind's db_objects.",
    labels: [],
    moves: "the server's updates; [which they are](rows.md#shared-address-sets)",
    series: alone(({ backend }) => {
      const count = backend.actual.count("Address_Set");
      return [...selectorOwnersOf(everyDialect.policies)].reduce(
        (sum, type) => sum + (count.get(type) ?? 0),
        0,
      );
    }),
  },
  {
    type: "counter",
    name: "northgate_nb_transactions_total",
    help: "Transactions about rows sent, refused ones included.",
    labels: [],
    moves: "each commit that has something to write",
    series: alone(({ writer }) => writer.stats.transactions),
  },
  {
    type: "gauge",
    name: "northgate_leader",
    help: "1 while this instance writes to the database.",
    labels: [],
    moves: "[a transition](operations.md#more-than-one-instance)",
    series: alone(({ election }) => Number(election.leads)),
  },
  {
    type: "gauge",
    name: "northgate_standby",
    help: "1 while another instance writes to the same database.",
    labels: [],
    moves: "a transition",
    series: alone(({ election }) => Number(!election.leads && election.other !== null)),
  },
  {
    type: "counter",
    name: "northgate_election_transactions_total",
    help: "Transactions of the election, by purpose, refused ones included.",
    labels: ["kind"],
    moves: "every 4 s of the writer; a transition",
    series: (["claim", "renewal", "release"] as const).map((kind) => ({
      labels: [kind],
      value: ({ election }) => election.stats[kind],
    })),
  },
  {
    type: "counter",
    name: "northgate_drift_repairs_total",
    help: "Policies whose rows another client had changed and that were repaired; each commit counts.",
    labels: [],
    moves: "a repair is acknowledged",
    series: alone(({ backend }) => backend.corrections.counts.repair),
  },
  {
    type: "counter",
    name: "northgate_sweeps_total",
    help: "Policies that do not exist and whose rows were removed.",
    labels: [],
    moves: "at a start, or when an unreadable file can be read",
    series: alone(({ backend }) => backend.corrections.counts.sweep),
  },
  {
    type: "counter",
    name: "northgate_takeovers_total",
    help: "Policies whose rows from an earlier run differed and were updated.",
    labels: [],
    moves: "at a start",
    series: alone(({ backend }) => backend.corrections.counts.takeover),
  },
  {
    type: "gauge",
    name: "northgate_contested_policies",
    help: "Policies whose rows another program writes too.",
    labels: [],
    moves: "three repairs [within a minute](operations.md#when-somebody-edits-the-rows)",
    series: alone(({ backend }) => backend.corrections.conflicts.contested().size),
  },
  {
    type: "counter",
    name: "northgate_nb_reconnects_total",
    help: "Connections with a filled cache after the first.",
    labels: [],
    moves: "a reconnect",
    series: alone(({ session }) => Math.max(0, session.stats.fills - 1)),
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
export type MetricParts = Parts & SourceParts;

export const readMetrics: readonly ReadMetric<MetricParts>[] = [
  ...metricsOfKinds(everyDialect.policies),
  ...ownMetrics,
  ...sourceMetrics,
];
