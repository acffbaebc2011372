// The settings of `observe-node`: the databases and the switch of one node. Refuses wrong usage as config.ts does.

import { parseRemotes } from "../ovsdb/index.ts";
import { listFormats } from "./choices.ts";
import type { LogFormat, LogLevel } from "../log.ts";
import { logFormats, logLevels } from "../log.ts";
import { parseBoolean, parseChoice } from "./config.ts";
import { parseSeconds } from "./seconds.ts";
import type { MetricsConfig } from "./metrics.ts";
import { parseMetrics } from "./metrics.ts";
import type { NorthboundConfig } from "./remotes.ts";
import { parseNorthbound } from "./remotes.ts";
import type { ConfigInput, Value } from "./values.ts";
import { UsageError, valuesOf } from "./values.ts";

export interface ObserveNodeConfig {
  readonly northbound: NorthboundConfig;
  /** OVSDB remotes, comma-separated. */
  readonly sb: string;
  /** Path of the bridge's management socket. */
  readonly openflow: string;
  readonly intervalMs: number;
  /** null: it runs until it is ended. */
  readonly once: { readonly output: (typeof listFormats)[number] } | null;
  /** null: no HTTP server. */
  readonly metrics: MetricsConfig | null;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** By flag, the value of every setting, for people: the first line of the log. */
  readonly effective: Readonly<Record<string, string>>;
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
    intervalMs: parseSeconds(value("interval")) * 1000,
    once: isOnce ? { output } : null,
    metrics: parseMetrics(value, cluster),
    logLevel: parseChoice(value("log-level"), logLevels),
    logFormat: parseChoice(value("log-format"), logFormats),
    effective: effective(),
  });
}

function parseSouthbound({ text, from }: Value, { tls }: NorthboundConfig): string {
  try {
    parseRemotes(text);
  } catch (error) {
    throw new UsageError(`${from}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (text.includes("ssl:") && tls === null)
    throw new UsageError(`${from}: ssl: needs --nb-private-key, --nb-certificate and --nb-ca-cert together`);
  return text;
}

/** Only a socket of this machine: what is asked of it is in the clear. */
function parseSocket({ text, from }: Value): string {
  const path = text.startsWith("unix:") ? text.slice("unix:".length) : "";
  if (path === "") throw new UsageError(`${from}: ${JSON.stringify(text)} is not unix:PATH`);
  return path;
}
