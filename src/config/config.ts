// Flags, environment and a file become one frozen Config: a flag beats the environment, which beats the file, which beats
// the default. The first bad value is named, with where it came from, and refused.

import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import type { IpFamily } from "../model/ip.ts";
import { parseRemotes } from "../ovsdb/index.ts";
import type { LogFormat, LogLevel } from "../log.ts";
import { logFormats, logLevels } from "../log.ts";
import type { NamedPortForm } from "../nbdb/rows/render-mode.ts";
import { namedPortForms } from "../nbdb/rows/render-mode.ts";
import { runSettings } from "./settings.ts";

/** Wrong usage: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Paths of PEM files. */
export interface TlsConfig {
  readonly privateKey: string;
  readonly certificate: string;
  readonly caCertificate: string;
}

export type SourceConfig =
  | { readonly kind: "directory"; readonly path: string }
  /** kubeconfig null: $KUBECONFIG, ~/.kube/config, or the service account of the pod this runs in. */
  | { readonly kind: "kube"; readonly kubeconfig: string | null };

export interface RunConfig {
  readonly source: SourceConfig;
  /** False: the rows stay as they are, and nothing is followed. */
  readonly enabled: boolean;
  /** What must have happened before a policy is called ready. */
  readonly wait: "commit" | "hv";
  readonly waitTimeoutMs: number;
  /** OVSDB remotes, comma-separated. */
  readonly nb: string;
  /** null: no remote needs it. */
  readonly tls: TlsConfig | null;
  readonly zone: string | null;
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  readonly namedPorts: NamedPortForm;
  /** null: no HTTP server. */
  readonly metricsBind: { readonly host: string; readonly port: number } | null;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

type Flag = (typeof runSettings)[number]["flag"];

interface Value {
  readonly text: string;
  /** For error messages: `--nb`, `NORTHGATE_NB`, `config.yaml: nb`. */
  readonly from: string;
}

export interface ConfigInput {
  /** As given on the command line, by flag name without dashes. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** --config FILE. */
  readonly file: string | null;
}

export function readRunConfig(input: ConfigInput): RunConfig {
  const value = valuesOf(input);
  return Object.freeze({
    source: parseSource(value("source"), value("kubeconfig").text || null),
    enabled: parseChoice(value("enable-admin-network-policy"), ["true", "false"]) === "true",
    wait: parseChoice(value("wait"), ["commit", "hv"]),
    waitTimeoutMs: parseSeconds(value("wait-timeout")) * 1000,
    ...parseNorthbound(value),
    zone: value("zone").text || null,
    families: parseFamilies(value("ip-families")),
    namedPorts: parseChoice(value("named-ports"), namedPortForms),
    metricsBind: parseBind(value("metrics-bind-address")),
    logLevel: parseChoice(value("log-level"), logLevels),
    logFormat: parseChoice(value("log-format"), logFormats),
  });
}

/** The part of it that says where the Northbound database is. */
export function readNorthboundConfig(input: ConfigInput): Pick<RunConfig, "nb" | "tls"> {
  return parseNorthbound(valuesOf(input));
}

function valuesOf(input: ConfigInput): (flag: Flag) => Value {
  const fromFile = input.file === null ? new Map<string, Value>() : readFile(input.file);
  return (flag) => {
    const setting = runSettings.find((candidate) => candidate.flag === flag);
    const variable = `NORTHGATE_${flag.toUpperCase().replaceAll("-", "_")}`;
    const onLine = input.flags[flag];
    const inEnvironment = input.environment[variable];
    if (onLine !== undefined) return { text: onLine, from: `--${flag}` };
    if (inEnvironment !== undefined && inEnvironment !== "") return { text: inEnvironment, from: variable };
    const filed = fromFile.get(flag);
    if (filed !== undefined) return filed;
    const fallback = setting?.fallback ?? null;
    if (fallback === null)
      throw new UsageError(`--${flag} is needed (or ${variable}, or ${flag}: in a config file)`);
    return { text: fallback, from: `--${flag}` };
  };
}

function readFile(path: string): ReadonlyMap<string, Value> {
  let parsed: unknown;
  try {
    parsed = parseYaml(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(
      `--config ${path}: ${error instanceof Error ? firstLine(error.message) : String(error)}`,
    );
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new UsageError(`--config ${path}: not a mapping of settings`);
  }
  const known = new Set<string>(runSettings.map((setting) => setting.flag));
  const values = new Map<string, Value>();
  for (const [key, entry] of Object.entries(parsed)) {
    if (!known.has(key)) throw new UsageError(`--config ${path}: unknown setting ${JSON.stringify(key)}`);
    if (!["string", "number", "boolean"].includes(typeof entry)) {
      throw new UsageError(`--config ${path}: ${key}: not a string`);
    }
    values.set(key, { text: String(entry), from: `${path}: ${key}` });
  }
  return values;
}

function parseSource({ text, from }: Value, kubeconfig: string | null): SourceConfig {
  if (text === "kube") return { kind: "kube", kubeconfig };
  const path = text.startsWith("dir:") ? text.slice("dir:".length) : "";
  if (path === "") throw new UsageError(`${from}: ${JSON.stringify(text)} is not kube or dir:PATH`);
  return { kind: "directory", path };
}

function parseSeconds({ text, from }: Value): number {
  if (!/^\d{1,5}$/.test(text) || text === "0") {
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not a number of seconds`);
  }
  return Number(text);
}

function parseNorthbound(value: (flag: Flag) => Value): Pick<RunConfig, "nb" | "tls"> {
  const nb = value("nb");
  try {
    parseRemotes(nb.text);
  } catch (error) {
    throw new UsageError(`${nb.from}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const [privateKey, certificate, caCertificate] = (
    ["nb-private-key", "nb-certificate", "nb-ca-cert"] as const
  ).map((flag) => value(flag).text);
  if (privateKey && certificate && caCertificate)
    return { nb: nb.text, tls: { privateKey, certificate, caCertificate } };
  if (nb.text.includes("ssl:") || privateKey || certificate || caCertificate) {
    throw new UsageError(
      `${nb.from}: ssl: needs --nb-private-key, --nb-certificate and --nb-ca-cert together`,
    );
  }
  return { nb: nb.text, tls: null };
}

/** null: auto. */
export function parseFamilies({ text, from }: Value): readonly IpFamily[] | null {
  if (text === "auto") return null;
  const names = text.split(",");
  const known = new Map<string, IpFamily>([
    ["ipv4", "v4"],
    ["ipv6", "v6"],
  ]);
  if (names.some((name) => !known.has(name)) || new Set(names).size !== names.length) {
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not auto, ipv4, ipv6 or ipv4,ipv6`);
  }
  return (["v4", "v6"] as const).filter((family) => names.some((name) => known.get(name) === family));
}

function parseBind({ text, from }: Value): RunConfig["metricsBind"] {
  if (text === "off") return null;
  const colon = text.lastIndexOf(":");
  const host = text.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  const port = text.slice(colon + 1);
  if (colon < 0 || !/^\d{1,5}$/.test(port) || Number(port) > 65535) {
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not HOST:PORT or off`);
  }
  return { host: host === "" ? "0.0.0.0" : host, port: Number(port) };
}

function parseChoice<C extends string>({ text, from }: Value, choices: readonly C[]): C {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined)
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not ${choices.join(", ")}`);
  return choice;
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
