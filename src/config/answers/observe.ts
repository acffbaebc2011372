// The settings of `observe-node`, the databases and the switch of one node, and of `observe`, what is asked of it. Refuses wrong usage as config.ts does.

import { parseRemotes } from "../../ovsdb/index.ts";
import type { PodName } from "../../observe/decode/event.ts";
import { seenVerdicts } from "../../observe/decode/event.ts";
import type { NodesAsked } from "../../observe/watching/reader-pods.ts";
import type { Question } from "../../observe/watching/protocol.ts";
import { eventFormats, listFormats } from "../choices.ts";
import type { LogFormat, LogLevel } from "../../log.ts";
import { logFormats, logLevels } from "../../log.ts";
import { parseBoolean, parseChoice } from "../config.ts";
import { parseSeconds } from "../seconds.ts";
import type { MetricsConfig } from "../metrics.ts";
import { parseMetrics } from "../metrics.ts";
import type { NorthboundConfig } from "../remotes.ts";
import { parseNorthbound } from "../remotes.ts";
import type { FlagOf } from "../settings.ts";
import type { ConfigInput, Value } from "../values.ts";
import { UsageError, valuesOf } from "../values.ts";

export interface ObserveNodeConfig {
  readonly northbound: NorthboundConfig;
  /** OVSDB remotes, comma-separated. */
  readonly sb: string;
  /** Path of the bridge's management socket. */
  readonly openflow: string;
  readonly intervalMs: number;
  /** null: nothing is sampled. */
  readonly samples: SamplesConfig | null;
  /** null: it runs until it is ended. */
  readonly once: { readonly output: (typeof listFormats)[number] } | null;
  /** null: no HTTP server. */
  readonly metrics: MetricsConfig | null;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** By flag, the value of every setting, for people: the first line of the log. */
  readonly effective: Readonly<Record<string, string>>;
}

export interface SamplesConfig {
  /** OVSDB remotes of the node's Open vSwitch, comma-separated. */
  readonly ovs: string;
  /** Path of the socket on which watchers ask. */
  readonly socket: string;
}

export interface ObserveConfig {
  readonly socket: string;
  /** null: the reader of this node alone is asked. */
  readonly nodes: NodesAsked | null;
  /** Standard input and output lead to the socket, and nothing else is done. */
  readonly isRelay: boolean;
  readonly question: Question;
  /** Path of the file to write; null: events are printed. */
  readonly record: string | null;
  readonly output: (typeof eventFormats)[number];
}

export function readObserveConfig(input: ConfigInput): ObserveConfig {
  const { value } = valuesOf("observe", input);
  const follow = parseBoolean(value("follow"));
  const output = parseChoice(value("output"), eventFormats);
  if (follow && output === "json") throw new UsageError("--follow has no end: use -o ndjson");
  const record = value("record").text || null;
  if (record !== null && !value("output").isDefault)
    throw new UsageError("--record writes a file of its own form: leave out -o");
  const nodes = parseNodes(value);
  const isRelay = parseBoolean(value("relay"));
  const filter = {
    pod: podIn(value("pod")),
    ...{ namespace: value("namespace").text || null, policy: pairIn(value("policy")) },
    verdict: seenVerdicts.find((verdict) => verdict === value("verdict").text) ?? null,
    ...{ toPort: parsePort(value("to-port")), hasEstablished: parseBoolean(value("established")) },
  };
  // What is followed begins now, unless more is asked for.
  const sinceSeconds = parseDuration(value("since")) ?? (follow ? 0 : null);
  const question = { filter, sinceSeconds, follow };
  return Object.freeze({ socket: value("socket").text, nodes, isRelay, question, record, output });
}

/** null: none is asked for. */
function parseNodes(value: (flag: FlagOf<"observe">) => Value): NodesAsked | null {
  const { text, from } = value("nodes");
  if (text === "") return null;
  const names = text.split(",");
  const wrong = [...names, value("reader-namespace").text].find(
    (name) => !/^[a-z0-9][a-z0-9.-]{0,252}$/.test(name),
  );
  if (wrong !== undefined) throw new UsageError(`${from}: ${JSON.stringify(wrong)} is no name`);
  const flags = (["kubeconfig", "context"] as const).flatMap((flag) => {
    const given = value(flag).text;
    return given === "" ? [] : [`--${flag}=${given}`];
  });
  return { flags, namespace: value("reader-namespace").text, nodes: text === "all" ? null : names };
}

/** `NAME` or `NAMESPACE/NAME`; null: none is given. */
function pairIn({ text, from }: Value): { readonly namespace: string | null; readonly name: string } | null {
  if (text === "") return null;
  const [first = "", second, ...more] = text.split("/");
  if (first === "" || second === "" || more.length > 0)
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not NAMESPACE/NAME`);
  return second === undefined ? { namespace: null, name: first } : { namespace: first, name: second };
}

function podIn(value: Value): PodName | null {
  const pair = pairIn(value);
  if (pair === null) return null;
  const { namespace, name } = pair;
  if (namespace === null)
    throw new UsageError(`${value.from}: ${JSON.stringify(value.text)} is not NAMESPACE/POD`);
  return { namespace, name };
}

function parsePort({ text, from }: Value): number | null {
  if (text === "") return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new UsageError(`${from}: ${JSON.stringify(text)} is not a port, 1 to 65535`);
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** In seconds; null: none is given. */
function parseDuration({ text, from }: Value): number | null {
  if (text === "") return null;
  const [, count = "", unit = ""] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const seconds = Number(count) * (units[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new UsageError(`${from}: ${JSON.stringify(text)} is not a duration such as 30s, 5m or 1h`);
}

export function readObserveNodeConfig(input: ConfigInput): ObserveNodeConfig {
  const { value, effective } = valuesOf("observe-node", input);
  const northbound = parseNorthbound(value);
  const output = parseChoice(value("output"), listFormats);
  const isOnce = parseBoolean(value("once"));
  if (!isOnce && !value("output").isDefault) throw new UsageError(`${value("output").from} needs --once`);
  const cluster = { kubeconfig: value("kubeconfig").text || null };
  return Object.freeze({
    ...{ northbound, sb: parseSouthbound(value("sb"), northbound) },
    openflow: parseSocket(value("openflow")),
    samples: parseSamples(value("ovs"), value("socket")),
    intervalMs: parseSeconds(value("interval")) * 1000,
    once: isOnce ? { output } : null,
    metrics: parseMetrics(value, cluster),
    logLevel: parseChoice(value("log-level"), logLevels),
    logFormat: parseChoice(value("log-format"), logFormats),
    effective: effective(),
  });
}

function parseSamples(ovs: Value, { text: socket }: Value): SamplesConfig | null {
  if (socket === "off") return null;
  return { ovs: parseRemotesIn(ovs), socket };
}

function parseRemotesIn({ text, from }: Value): string {
  try {
    parseRemotes(text);
  } catch (error) {
    throw new UsageError(`${from}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return text;
}

function parseSouthbound(value: Value, { tls }: NorthboundConfig): string {
  const remotes = parseRemotesIn(value);
  if (remotes.includes("ssl:") && tls === null)
    throw new UsageError(
      `${value.from}: ssl: needs --nb-private-key, --nb-certificate and --nb-ca-cert together`,
    );
  return remotes;
}

/** Only a socket of this machine: what is asked of it is in the clear. */
function parseSocket({ text, from }: Value): string {
  const path = text.startsWith("unix:") ? text.slice("unix:".length) : "";
  if (path === "") throw new UsageError(`${from}: ${JSON.stringify(text)} is not unix:PATH`);
  return path;
}
