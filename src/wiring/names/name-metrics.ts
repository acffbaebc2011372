// The metrics of names that are resolved. All are zero while none is.

import type { ReadMetric } from "../../metrics/read-metric.ts";
import { alone } from "../../metrics/read-metric.ts";
import type { Names } from "../../names/index.ts";
import { limitNames, outcomes, refusalReasons } from "../../names/index.ts";

export interface NamesParts {
  /** null: no names are resolved. */
  readonly names: Names | null;
}

export const nameMetrics: readonly ReadMetric<NamesParts>[] = [
  {
    type: "gauge",
    name: "northgate_names",
    help: "Names of domains that policies name and that are resolved, without patterns.",
    labels: [],
    moves: "a policy names another domain, with [--names](names.md)",
    series: alone(({ names }) => names?.counts.asked ?? 0),
  },
  {
    type: "gauge",
    name: "northgate_names_unresolved",
    help: "Of these, names that never had an address since the start.",
    labels: [],
    moves: "a first answer with an address",
    series: alone(({ names }) => names?.counts.unresolved ?? 0),
  },
  {
    type: "gauge",
    name: "northgate_names_addresses",
    help: "Addresses that names lead to now.",
    labels: [],
    moves: "an answer with a new address; the end of a TTL",
    series: alone(({ names }) => names?.answers.size.addresses ?? 0),
  },
  {
    type: "gauge",
    name: "northgate_names_servers_away",
    help: "DNS servers that do not answer.",
    labels: [],
    moves: "three questions without an answer; an answer",
    series: alone(({ names }) => names?.away.length ?? 0),
  },
  {
    type: "counter",
    name: "northgate_names_answers_total",
    help: "Answers of DNS about names that policies have.",
    labels: ["outcome"],
    moves: "each answer, and each question without one",
    series: outcomes.map((outcome) => ({
      labels: [outcome],
      value: ({ names }) => names?.noted.answers(outcome) ?? 0,
    })),
  },
  {
    type: "counter",
    name: "northgate_names_refused_total",
    help: "Addresses in answers that no name leads to.",
    labels: ["reason"],
    moves: "each such address in each answer",
    series: refusalReasons.map((reason) => ({
      labels: [reason],
      value: ({ names }) => names?.noted.refusals(reason) ?? 0,
    })),
  },
  {
    type: "counter",
    name: "northgate_names_limited_total",
    help: "Names and addresses that were left out at a limit.",
    labels: ["limit"],
    moves: "an answer beyond [a limit](names.md#limits)",
    series: limitNames.map((limit) => ({
      labels: [limit],
      value: ({ names }) => names?.noted.limits(limit) ?? 0,
    })),
  },
];
