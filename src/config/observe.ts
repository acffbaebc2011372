// The settings of `observe-node`: the databases and the switch of one node. Refuses wrong usage as config.ts does.

import { parseRemotes } from "../ovsdb/index.ts";
import { listFormats } from "./choices.ts";
import { parseBoolean, parseChoice } from "./config.ts";
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
  readonly output: (typeof listFormats)[number];
}

export function readObserveNodeConfig(input: ConfigInput): ObserveNodeConfig {
  const { value } = valuesOf("observe-node", input);
  const northbound = parseNorthbound(value);
  const sb = parseSouthbound(value("sb"), northbound);
  if (!parseBoolean(value("once"))) throw new UsageError("--once is needed");
  return Object.freeze({
    ...{ northbound, sb, openflow: parseSocket(value("openflow")) },
    output: parseChoice(value("output"), listFormats),
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
