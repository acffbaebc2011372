// The text that the reader of a node serves on /metrics, as the counts of its rules. Strict about the series that it reads, and about
// the form of every other line. What it keeps is bounded by the length of the text.

import { printable } from "../model/quote.ts";
import { directions } from "../policy/ir.ts";
import type { NodeCount, NodeCounts } from "./hits.ts";
import { keyOfPlace } from "./hits.ts";
import { ruleSeries } from "./series.ts";

type Column = keyof typeof ruleSeries;

/** Thrown for a line that is none of such a text. */
export class MetricsTextError extends Error {
  /** From 1; null: the text as a whole. */
  readonly line: number | null;

  constructor(line: number | null, message: string) {
    super(message);
    this.line = line;
  }
}

/** More than the labels of a rule take. */
const longestLine = 8_192;
const columns: ReadonlyMap<string, Column> = new Map(
  Object.keys(ruleSeries).map((key) => [ruleSeries[key as Column].name, key as Column]),
);
const metricName = /^[a-zA-Z_:][\w:]*/;
const places = /^(\d{1,5}|default|isolation)$/;
/** Seconds until the year 9999. */
const latest = 253_402_300_799;

interface Sample {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: string;
}

type Fail = (message: string) => never;

/** Changed in place. */
interface Draft {
  packets: number | null;
  bytes: number;
  since: number | null;
  /** The line that has named it first. */
  readonly line: number;
}

/** Throws a MetricsTextError. */
export function readMetricsText(text: string): NodeCounts {
  const reading = new Reading();
  for (const [at, line] of text.split("\n").entries()) reading.add(line.replace(/\r$/, ""), at + 1);
  return reading.counts();
}

class Reading {
  readonly #alone = new Map<Column, Sample>();
  readonly #rules = new Map<string, Map<string, Draft>>();
  readonly #seen = new Set<string>();

  add(line: string, at: number): void {
    if (line === "" || line.startsWith("#")) return;
    const fail: Fail = (message) => {
      throw new MetricsTextError(at, message);
    };
    if (line.length > longestLine) fail(`is longer than ${longestLine} characters`);
    const name = metricName.exec(line)?.[0] ?? fail("is no line of metrics");
    const column = columns.get(name);
    if (column === undefined) {
      if (!/^[{ ]/.test(line.slice(name.length))) fail("is no line of metrics");
      return;
    }
    const sample =
      sampleOf(line.slice(name.length)) ?? fail(`has labels or a value of no form that ${name} has`);
    this.#refuseOdd(column, sample, fail);
    if (ruleSeries[column].labels.length < 2) this.#alone.set(column, sample);
    else this.#addRule(column, sample, at, fail);
  }

  #refuseOdd(column: Column, sample: Sample, fail: Fail): void {
    const { name, labels: wanted } = ruleSeries[column];
    const odd = [...sample.labels.keys()].find((label) => !wanted.some((one) => one === label));
    if (odd !== undefined)
      fail(
        `has the label ${printable(odd)}, which ${name} does not have: save the text that the reader itself serves`,
      );
    const missing = wanted.find((label) => !sample.labels.has(label));
    if (missing !== undefined) fail(`lacks the label ${missing} of ${name}`);
    const series = `${name} ${JSON.stringify(wanted.map((label) => sample.labels.get(label)))}`;
    if (this.#seen.has(series))
      fail("has a series that an earlier line has: save the text of each node to a file of its own");
    this.#seen.add(series);
  }

  #addRule(column: Column, { labels, value }: Sample, at: number, fail: Fail): void {
    const of = (label: string): string => labels.get(label) ?? "";
    const direction =
      directions.find((one) => one === of("direction")) ??
      fail("has a direction that is neither ingress nor egress");
    const place = of("rule");
    // Another program's row.
    if (place === "") return;
    if (!places.test(place)) fail(`has the rule ${printable(place)}, which is no place in a policy`);
    const policy = { group: of("group"), kind: of("kind"), namespace: of("namespace"), name: of("policy") };
    const key = keyOfPlace(
      policy,
      direction,
      place === "default" || place === "isolation" ? place : Number(place),
    );
    const actions = this.#rules.get(key) ?? new Map<string, Draft>();
    this.#rules.set(key, actions);
    const draft = actions.get(of("action")) ?? { packets: null, bytes: 0, since: null, line: at };
    actions.set(of("action"), draft);
    if (column === "countedSince")
      draft.since = secondsOf(value) ?? fail(`has ${printable(value)}, which is no time in seconds`);
    else {
      const count = countOf(value) ?? fail(`has ${printable(value)}, which is no count`);
      if (column === "packets") draft.packets = (draft.packets ?? 0) + count;
      else draft.bytes += count;
    }
  }

  counts(): NodeCounts {
    const { node, readAt, leftOut } = ruleSeries;
    const alone = (column: Column, { name }: { readonly name: string }): Sample => {
      const sample = this.#alone.get(column);
      if (sample !== undefined) return sample;
      throw new MetricsTextError(
        null,
        `has no ${name}: it is not the text of /metrics of northgate observe-node`,
      );
    };
    const readSeconds = secondsOf(alone("readAt", readAt).value);
    if (readSeconds === null)
      throw new MetricsTextError(null, `has a ${readAt.name} that is no time in seconds`);
    if (readSeconds === 0)
      throw new MetricsTextError(null, "was saved before the reader had read its switch");
    const left = countOf(alone("leftOut", leftOut).value);
    if (left === null) throw new MetricsTextError(null, `has a ${leftOut.name} that is no count`);
    return {
      node: alone("node", node).labels.get("node") ?? "",
      ...{ readAt: readSeconds, leftOut: left },
      rules: new Map(Array.from(this.#rules, ([key, actions]) => [key, wholeOf(actions)])),
    };
  }
}

function wholeOf(actions: ReadonlyMap<string, Draft>): ReadonlyMap<string, NodeCount> {
  return new Map(
    Array.from(actions, ([action, { packets, bytes, since, line }]) => {
      if (packets === null)
        throw new MetricsTextError(line, `is of a rule without ${ruleSeries.packets.name}`);
      if (since === null)
        throw new MetricsTextError(line, `is of a rule without ${ruleSeries.countedSince.name}`);
      return [action, { packets, bytes, since }];
    }),
  );
}

const valueForm = /^ (\S+)(?: -?\d+)?$/;

/** What is behind the name of a metric; null: it has not the form. */
function sampleOf(rest: string): Sample | null {
  const read = rest.startsWith("{") ? labelsOf(rest) : { labels: new Map<string, string>(), end: 0 };
  const value = read && valueForm.exec(rest.slice(read.end))?.[1];
  return read === null || value === null || value === undefined ? null : { labels: read.labels, value };
}

/** `end`: behind the brace that closes them. */
function labelsOf(
  text: string,
): { readonly labels: ReadonlyMap<string, string>; readonly end: number } | null {
  const labels = new Map<string, string>();
  const pair = /([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\"n])*)"([,}])/y;
  pair.lastIndex = 1;
  for (let found = pair.exec(text); found !== null; found = pair.exec(text)) {
    const [, label = "", quoted = "", next] = found;
    if (labels.has(label)) return null;
    labels.set(
      label,
      quoted.replace(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign)),
    );
    if (next === "}") return { labels, end: pair.lastIndex };
  }
  return null;
}

/** null: it is no whole number that is kept exactly. */
function countOf(text: string): number | null {
  const number = Number(text);
  return /^[\d.e+]+$/i.test(text) && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function secondsOf(text: string): number | null {
  const number = Number(text);
  return /^[\d.e+]+$/i.test(text) && number >= 0 && number <= latest ? number : null;
}
