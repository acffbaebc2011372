// Every metric of our own, declared once. Counters and histograms are told of events, or read from counters that only
// grow; gauges are read at each scrape, so that they are true then. A series exists at zero before its first event.

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { PolicyReading } from "./documented.ts";
import { declareDocumented } from "./documented.ts";

/** Series of one metric: label values, in the order of its label names, and the value. */
export type Series = readonly (readonly [labels: readonly string[], value: number])[];

/** What is read at each scrape. */
export interface Gauges extends PolicyReading {
  readonly queueDepth: () => number;
  readonly queueOldestSeconds: () => number;
  readonly connected: () => boolean;
  /** [table] → rows held. */
  readonly cacheRows: () => Series;
  readonly transactions: () => number;
  readonly reconnects: () => number;
  readonly selectorEvaluations: () => number;
  /** [resource] → objects held; whether listed; requests; watches; [resource, reason] → lists made again. */
  readonly sourceObjects: () => Series;
  readonly sourceSynced: () => Series;
  readonly sourceRequests: () => Series;
  readonly sourceWatches: () => Series;
  readonly sourceRelists: () => Series;
  /** [kind: status or event, outcome: written, skipped or failed]. */
  readonly writes: () => Series;
}

/** Tables and operations that the program writes: the label values of the operations counter. */
const written = ["ACL", "Address_Set", "Port_Group", "NB_Global"] as const;
const verbs = ["insert", "update", "mutate", "delete"] as const;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export class Metrics {
  readonly registry = new Registry();
  readonly #passes: Histogram;
  readonly #commits: Histogram;
  readonly #operations: Counter<"table" | "op">;
  readonly #problems: Counter<"code">;

  constructor(reading: Gauges, version: string, problemCodes: readonly string[]) {
    const registers = [this.registry];
    declareDocumented(reading, this.registry);
    this.#declareRead(reading);
    this.#passes = new Histogram({
      name: "northgate_reconcile_duration_seconds",
      help: "Time of one pass of the loop, from the first fact read to the end of its commit.",
      buckets,
      registers,
    });
    this.#commits = new Histogram({
      name: "northgate_commit_duration_seconds",
      help: "Time from sending a transaction to its acknowledgement.",
      buckets,
      registers,
    });
    this.#operations = new Counter({
      name: "northgate_nb_operations_total",
      help: "Operations that the Northbound database acknowledged, by table and kind.",
      labelNames: ["table", "op"],
      registers,
    });
    for (const table of written) for (const op of verbs) this.#operations.inc({ table, op }, 0);
    this.#problems = new Counter({
      name: "northgate_problems_total",
      help: "Findings in objects, by code.",
      labelNames: ["code"],
      registers,
    });
    for (const code of problemCodes) this.#problems.inc({ code }, 0);
    new Gauge({ name: "northgate_build_info", help: "Always 1.", labelNames: ["version"], registers }).set(
      { version },
      1,
    );
    collectDefaultMetrics({ register: this.registry });
    // Gauges that call themselves totals, which promtool refuses; the same without the suffix stay.
    for (const what of ["handles", "requests", "resources"]) {
      this.registry.removeSingleMetric(`nodejs_active_${what}_total`);
    }
  }

  problem(code: string): void {
    this.#problems.inc({ code });
  }

  pass(milliseconds: number): void {
    this.#passes.observe(milliseconds / 1000);
  }

  commit(
    operations: readonly { readonly op: string; readonly table?: string }[],
    milliseconds: number,
  ): void {
    this.#commits.observe(milliseconds / 1000);
    for (const { op, table = "" } of operations) this.#operations.inc({ table, op });
  }

  #declareRead(reading: Gauges): void {
    const { registry } = this;
    const alone = (read: () => number) => (): Series => [[[], read()]];
    gauge(
      registry,
      "northgate_queue_depth",
      "Objects waiting to be looked at.",
      [],
      alone(reading.queueDepth),
    );
    const oldest = alone(reading.queueOldestSeconds);
    gauge(registry, "northgate_queue_oldest_seconds", "How long the oldest of them has waited.", [], oldest);
    const connected = alone(() => Number(reading.connected()));
    gauge(
      registry,
      "northgate_nb_connected",
      "1 while the Northbound cache is filled and followed.",
      [],
      connected,
    );
    gauge(registry, "northgate_nb_cache_rows", "Rows held of each table.", ["table"], reading.cacheRows);
    const transactions = alone(reading.transactions);
    counter(registry, "northgate_nb_transactions_total", "Transactions sent.", [], transactions);
    counter(
      registry,
      "northgate_nb_reconnects_total",
      "Connections after the first.",
      [],
      alone(reading.reconnects),
    );
    const evaluations = alone(reading.selectorEvaluations);
    counter(
      registry,
      "northgate_selector_evaluations_total",
      "Selectors held against a label set.",
      [],
      evaluations,
    );
    const resource = ["resource"];
    gauge(
      registry,
      "northgate_source_objects",
      "Objects held of each resource.",
      resource,
      reading.sourceObjects,
    );
    gauge(
      registry,
      "northgate_source_synced",
      "1 once a resource has been listed.",
      resource,
      reading.sourceSynced,
    );
    counter(
      registry,
      "northgate_source_requests_total",
      "Lists and watches sent.",
      resource,
      reading.sourceRequests,
    );
    counter(registry, "northgate_source_watches_total", "Watches accepted.", resource, reading.sourceWatches);
    const reasons = ["resource", "reason"];
    counter(registry, "northgate_source_relists_total", "Lists made again.", reasons, reading.sourceRelists);
    const outcome = ["kind", "outcome"];
    counter(
      registry,
      "northgate_writes_total",
      "Conditions and events by what became of them.",
      outcome,
      reading.writes,
    );
  }
}

function labelled(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}

function gauge(registry: Registry, name: string, help: string, names: string[], read: () => Series): void {
  new Gauge({
    name,
    help,
    labelNames: names,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.set(labelled(names, labels), value);
    },
  });
}

/** A counter whose value is kept elsewhere, where it only grows. */
function counter(registry: Registry, name: string, help: string, names: string[], read: () => Series): void {
  new Counter({
    name,
    help,
    labelNames: names,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labelled(names, labels), value);
    },
  });
}
