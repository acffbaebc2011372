// All metrics: those that are read at a scrape, from their table, and those that count events, whose table is here. Both
// tables are what docs/metrics.md is generated from. A series exists at zero before its first event.

import { Counter, Histogram, Registry } from "prom-client";
import type { Described } from "./read-metric.ts";
import type { Readings } from "./registry.ts";
import { buildMetric, declareAll, declareProcess } from "./registry.ts";

export type { Series } from "./read-metric.ts";

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
  build: buildMetric,
} as const satisfies Readonly<Record<string, Described>>;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export class Metrics<P> {
  readonly registry = new Registry();
  readonly #passes: Histogram;
  readonly #commits: Histogram;
  readonly #operations: Counter<"table" | "op">;
  readonly #problems: Counter<"code">;

  constructor(readings: Readings<P>, version: string, problemCodes: readonly string[]) {
    const registers = [this.registry];
    declareAll(this.registry, readings);
    const { passes, commits, operations, problems } = countedMetrics;
    this.#passes = new Histogram({ name: passes.name, help: passes.help, buckets, registers });
    this.#commits = new Histogram({ name: commits.name, help: commits.help, buckets, registers });
    this.#operations = new Counter({ ...labelled(operations), registers });
    for (const table of written) for (const op of verbs) this.#operations.inc({ table, op }, 0);
    this.#problems = new Counter({ ...labelled(problems), registers });
    for (const code of problemCodes) this.#problems.inc({ code }, 0);
    declareProcess(this.registry, version);
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
