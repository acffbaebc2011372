// The metrics of a run that writes to a Northbound database: what it holds there, what was written, and what was corrected. Rows
// of a kind that OVN-Kubernetes has too are counted under the name that it documents.

import { everyDialect } from "../../dialects.ts";
import { invariant } from "../../lib/invariant.ts";
import type { ReadMetric } from "../../metrics/read-metric.ts";
import { alone, readIn } from "../../metrics/read-metric.ts";
import type { PolicyKindTraits } from "../../policy/contracts/dialect.ts";
import type { RunningBackend } from "../../running-backend.ts";
import { selectorOwnersOf } from "../rows/form.ts";
import { NorthboundRun } from "./northbound-run.ts";

const cached = ["ACL", "Address_Set", "Port_Group", "Logical_Switch_Port"] as const;

function rowsOf({ metrics, ownerType }: PolicyKindTraits): readonly ReadMetric<NorthboundRun>[] {
  if (metrics === null) return [];
  const words = metrics.name.replaceAll("_", " ");
  return [
    {
      type: "gauge",
      name: `${metrics.prefix}_${metrics.name}_db_objects`,
      help: `The total number of OVN NBDB objects (table_name) owned by the ${words} controller in the cluster`,
      labels: ["table_name"],
      moves: "our cache of the database changes",
      series: (["ACL", "Address_Set"] as const).map((table) => ({
        labels: [table],
        value: ({ backend }) => backend.actual.count(table).get(ownerType) ?? 0,
      })),
    },
  ];
}

const ownMetrics: readonly ReadMetric<NorthboundRun>[] = [
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
    moves: "three repairs [within a minute](operations.md#when-another-program-edits-the-rows)",
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
];

export const northboundMetrics: readonly ReadMetric<RunningBackend>[] = [
  ...everyDialect.policies.flatMap(rowsOf),
  ...ownMetrics,
].map((metric) => readIn(metric, northboundOf));

function northboundOf(running: RunningBackend): NorthboundRun {
  invariant(running instanceof NorthboundRun, "the run is of another backend");
  return running;
}
