// All metrics: those that are read at a scrape, from their table, and those that count events, whose table is here. Both
// tables are what docs/metrics.md is generated from. A series exists at zero before its first event.

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { Described, ReadMetric } from "./read-metric.ts";
import { declareRead } from "./declare-read.ts";

export type { Series } from "./read-metric.ts";

/** Metrics that are read, and the parts to read them from; parts null: no such parts are running. */
export interface Readings<P> {
  readonly table: readonly ReadMetric<P>[];
  readonly parts: P | null;
}

/** Tables and operations that the program writes: the label values of the operations counter. */
const written = ["ACL", "Address_Set", "Port_Group", "NB_Global"] as const;
const verbs = ["insert", "update", "mutate", "delete"] as const;

/** The metrics that count events, and the one that never moves. */
export const countedMetrics = {
  passes: {
    name: "northgate_reconcile_duration_seconds",
    help: "Time of one pass of the loop, from the first fact read to the end of its commit.",
    labels: [],
    moves: "each pass while the database is there",
  },
  commits: {
    name: "northgate_commit_duration_seconds",
    help: "Time from sending a transaction to its acknowledgement.",
    labels: [],
    moves: "each acknowledged transaction",
  },
  operations: {
    name: "northgate_nb_operations_total",
    help: "Operations that the Northbound database acknowledged, by table and kind.",
    labels: ["table", "op"],
    moves: "a transaction is acknowledged",
  },
  problems: {
    name: "northgate_problems_total",
    help: "Findings in objects, by code, when they are first reported.",
    labels: ["code"],
    moves: "a new [finding](operations.md#problems); a file read again with an old one",
  },
  build: {
    name: "northgate_build_info",
    help: "Always 1; the version of the program.",
    labels: ["version"],
    moves: "never",
  },
} as const satisfies Readonly<Record<string, Described>>;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export class Metrics<P> {
  readonly registry = new Registry();
  readonly #passes: Histogram;
  readonly #commits: Histogram;
  readonly #operations: Counter<"table" | "op">;
  readonly #problems: Counter<"code">;

  constructor({ table, parts }: Readings<P>, version: string, problemCodes: readonly string[]) {
    const registers = [this.registry];
    for (const metric of table) declareRead(metric, parts, this.registry);
    const { passes, commits, operations, problems, build } = countedMetrics;
    this.#passes = new Histogram({ name: passes.name, help: passes.help, buckets, registers });
    this.#commits = new Histogram({ name: commits.name, help: commits.help, buckets, registers });
    this.#operations = new Counter({ ...labelled(operations), registers });
    for (const table of written) for (const op of verbs) this.#operations.inc({ table, op }, 0);
    this.#problems = new Counter({ ...labelled(problems), registers });
    for (const code of problemCodes) this.#problems.inc({ code }, 0);
    new Gauge({ ...labelled(build), registers }).set({ version }, 1);
    collectDefaultMetrics({ register: this.registry });
    // Gauges with names that end in `total`, which promtool refuses; the same without the suffix stay.
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
}

/** Name, help and labels as prom-client wants them. */
function labelled<L extends string>(metric: Described & { readonly labels: readonly L[] }) {
  return { name: metric.name, help: metric.help, labelNames: metric.labels };
}
