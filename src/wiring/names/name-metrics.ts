// The metrics of names that are resolved. All are zero while none is.

import type { ReadMetric } from "../../metrics/read-metric.ts";
import { alone } from "../../metrics/read-metric.ts";
import type { Names } from "../../names/index.ts";
import { limitNames, outcomes, refusalReasons } from "../../names/index.ts";
import { messageFates, tapEnds, tapRefusals } from "../../names/dnstap/index.ts";
import type { Taps } from "./taps.ts";

export interface NamesParts {
  /** null: no names are resolved. */
  readonly names: Names | null;
  /** null: DNS servers do not send what they answer. */
  readonly taps: Taps | null;
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
  {
    type: "gauge",
    name: "northgate_names_learned",
    help: "Names that only wildcards of policies match, and that have an address now.",
    labels: [],
    moves: "an answer about another name, with [--names dnstap](names.md); the end of a TTL",
    series: alone(({ names }) => names?.answers.size.below ?? 0),
  },
  {
    type: "gauge",
    name: "northgate_names_taps_away",
    help: "DNS servers that do not send what they answer, while a policy has a wildcard.",
    labels: [],
    moves: "15 s without a connection of dnstap; a connection",
    series: alone(({ taps }) => taps?.away.length ?? 0),
  },
  {
    type: "gauge",
    name: "northgate_names_tap_connections",
    help: "Open connections of dnstap.",
    labels: [],
    moves: "a DNS server connects, or its connection ends",
    series: alone(({ taps }) => taps?.listener?.connections ?? 0),
  },
  {
    type: "counter",
    name: "northgate_names_tap_refused_total",
    help: "Connections of dnstap that were refused.",
    labels: ["reason"],
    moves: "a connection from another address, beyond a limit, or to an instance on standby",
    series: tapRefusals.map((reason) => ({
      labels: [reason],
      value: ({ taps }) => taps?.listener?.counts.refused[reason] ?? 0,
    })),
  },
  {
    type: "counter",
    name: "northgate_names_tap_ended_total",
    help: "Connections of dnstap that have ended.",
    labels: ["reason"],
    moves: "the end of a connection",
    series: tapEnds.map((reason) => ({
      labels: [reason],
      value: ({ taps }) => taps?.listener?.counts.ended[reason] ?? 0,
    })),
  },
  {
    type: "counter",
    name: "northgate_names_tap_messages_total",
    help: "Messages of dnstap, by what became of them.",
    labels: ["fate"],
    moves: "each message",
    series: messageFates.map((fate) => ({
      labels: [fate],
      value: ({ taps }) => taps?.listener?.counts.messages[fate] ?? 0,
    })),
  },
];
