// The families that OVN-Kubernetes documents: same names, labels and meanings, and true at every scrape.

import { Gauge } from "prom-client";
import type { Registry } from "prom-client";

/** The kinds whose documented families exist, by the start of their names. */
export type FamilyKind = "admin" | "baseline";

const actions = { admin: ["Allow", "Deny", "Pass"], baseline: ["Allow", "Deny"] } as const;
const ruleDirections = ["Ingress", "Egress"] as const;
const tables = ["ACL", "Address_Set"] as const;

export type RuleAction = (typeof actions.admin)[number];
export type RuleDirection = (typeof ruleDirections)[number];

/** What the documented gauges show, asked at each scrape. */
export interface PolicyReading {
  /** Policies in force. */
  policies(kind: FamilyKind): number;
  /** Rules of policies in force. */
  rules(kind: FamilyKind, direction: RuleDirection, action: RuleAction): number;
  /** Rows of ours in the database. */
  rows(kind: FamilyKind, table: (typeof tables)[number]): number;
}

export function declareDocumented(reading: PolicyReading, registry: Registry): void {
  for (const kind of ["admin", "baseline"] as const) declareKind(kind, reading, [registry]);
}

function declareKind(kind: FamilyKind, reading: PolicyReading, registers: Registry[]): void {
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
