// Every metric, declared once. Counters and histograms are told of events; gauges are read from their source at each
// scrape, so that they are true then. A series exists at zero before its first event. The ovnkube_controller families
// have the names, labels and meanings that OVN-Kubernetes documents.

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** The kinds whose documented families exist, by the start of their names. */
export type FamilyKind = "admin" | "baseline";

const actions = { admin: ["Allow", "Deny", "Pass"], baseline: ["Allow", "Deny"] } as const;
const ruleDirections = ["Ingress", "Egress"] as const;
const tables = ["ACL", "Address_Set"] as const;

export type RuleAction = (typeof actions.admin)[number];
export type RuleDirection = (typeof ruleDirections)[number];

/** What the gauges show, asked at each scrape. */
export interface Reading {
  policies(kind: FamilyKind): number;
  rules(kind: FamilyKind, direction: RuleDirection, action: RuleAction): number;
  rows(kind: FamilyKind, table: "ACL" | "Address_Set" | "Port_Group"): number;
  queueDepth(): number;
  queueOldestSeconds(): number;
  connected(): boolean;
  /** Totals since the start. */
  totals(): {
    readonly transactions: number;
    readonly operations: number;
    readonly reconnects: number;
    readonly selectorEvaluations: number;
  };
}

export class Metrics {
  readonly registry = new Registry();
  readonly #passes: Histogram;
  readonly #problems: Counter<"code">;

  constructor(reading: Reading, version: string) {
    const registers = [this.registry];
    for (const kind of ["admin", "baseline"] as const) declareDocumented(kind, reading, registers);
    declareOwn(reading, registers);
    this.#passes = new Histogram({
      name: "northgate_reconcile_duration_seconds",
      help: "Time of one pass of the loop, from the first fact read to the end of its commit.",
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    });
    this.#problems = new Counter({
      name: "northgate_problems_total",
      help: "Findings in objects, by code.",
      labelNames: ["code"],
      registers,
    });
    new Gauge({ name: "northgate_build_info", help: "Always 1.", labelNames: ["version"], registers }).set(
      { version },
      1,
    );
    collectDefaultMetrics({ register: this.registry });
  }

  /** Makes the problem series exist at zero. */
  declareProblems(codes: readonly string[]): void {
    for (const code of codes) this.#problems.inc({ code }, 0);
  }

  problem(code: string): void {
    this.#problems.inc({ code });
  }

  pass(milliseconds: number): void {
    this.#passes.observe(milliseconds / 1000);
  }
}

function declareDocumented(kind: FamilyKind, reading: Reading, registers: Registry[]): void {
  const family = kind === "admin" ? "admin_network_policies" : "baseline_admin_network_policies";
  const words = family.replaceAll("_", " ");
  const name = `ovnkube_controller_${family}`;
  new Gauge({
    name,
    help: `The total number of ${words} in the cluster`,
    registers,
    collect() {
      this.set(reading.policies(kind));
    },
  });
  new Gauge({
    name: `${name}_db_objects`,
    help: `The total number of OVN NBDB objects (table_name) owned by the ${words} controller in the cluster`,
    labelNames: ["table_name"],
    registers,
    collect() {
      for (const table of tables) this.set({ table_name: table }, reading.rows(kind, table));
    },
  });
  new Gauge({
    name: `${name}_rules`,
    help: `The total number of rules across all ${words} in the cluster grouped by direction and action`,
    labelNames: ["direction", "action"],
    registers,
    collect() {
      for (const direction of ruleDirections) {
        for (const action of actions[kind])
          this.set({ direction, action }, reading.rules(kind, direction, action));
      }
    },
  });
}

function declareOwn(reading: Reading, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  gauge("northgate_queue_depth", "Objects waiting to be looked at.", () => reading.queueDepth());
  gauge("northgate_queue_oldest_seconds", "How long the oldest of them has waited.", () =>
    reading.queueOldestSeconds(),
  );
  gauge("northgate_nb_connected", "1 while the Northbound session is up and its cache filled.", () =>
    reading.connected() ? 1 : 0,
  );
  counter("northgate_nb_transactions_total", "Transactions sent.", () => reading.totals().transactions);
  counter("northgate_nb_operations_total", "Operations in them.", () => reading.totals().operations);
  counter("northgate_nb_reconnects_total", "Connections after the first.", () => reading.totals().reconnects);
  counter("northgate_selector_evaluations_total", "Selectors evaluated against a label set.", () => {
    return reading.totals().selectorEvaluations;
  });
}
