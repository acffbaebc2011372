// Parses a command's settings into one frozen config. Refuses the first bad value and names its origin. settings.ts
// defines which settings there are.

import type { IpFamily } from "../model/ip.ts";
import { ipFamilies } from "../model/ip.ts";
import type { Flags } from "../policy/contracts/flags.ts";
import type { LogFormat, LogLevel } from "../log.ts";
import { logFormats, logLevels } from "../log.ts";
import { backendDefaults, backendNamed } from "../backends.ts";
import { unknownVariables } from "./sources/environment.ts";
import type { MetricsConfig } from "./metrics.ts";
import { parseKinds } from "./kinds.ts";
import { parseMetrics } from "./metrics.ts";
import type { PageConfig } from "./page.ts";
import { parsePage } from "./page.ts";
import {
  conditionChoices,
  contentTypes,
  listFormats,
  manifestFormats,
  tableFormats,
  waitPoints,
} from "./choices.ts";
import type { NorthboundConfig } from "./remotes.ts";
import { parseRemotesOf } from "./remotes.ts";
import { seconds } from "./shapes.ts";
import type { ConfigInput, Value } from "./values.ts";
import { UsageError, valuesOf } from "./values.ts";

export type SourceConfig =
  | { readonly kind: "directory"; readonly path: string }
  /** kubeconfig null: $KUBECONFIG, ~/.kube/config, or the service account of the pod this runs in. */
  | {
      readonly kind: "kube";
      readonly kubeconfig: string | null;
      /** Of the kubeconfig; absent or null: its current one. */
      readonly context?: string | null;
      /** `json`: nothing is asked for as protobuf. */
      readonly objects?: "json";
    };

/** Where a command that only reads has its objects from. */
export type WorldSource = SourceConfig | FileSource;

export interface FileSource {
  readonly kind: "files";
  readonly paths: readonly string[];
  /** Folders that Kustomize makes manifests of; none unless given. */
  readonly kustomizations?: readonly string[];
}

/** What enforces the policies, and how. */
export interface BackendConfig {
  /** The node whose pods are local; null: every pod is. */
  readonly zone: string | null;
  /** Its name in the list of backends. */
  readonly backend: string;
  /** The flags of every backend. */
  readonly backendFlags: Flags;
}

export interface RunConfig extends NorthboundConfig, BackendConfig {
  readonly source: SourceConfig;
  /** Says which kinds are followed; the rows of the others stay as they are. */
  readonly kinds: Flags;
  /** Without contact for so long the source counts as lost. */
  readonly sourceTimeoutMs: number;
  /** True: an empty source is accepted, and existing rows are removed at start. */
  readonly allowEmpty: boolean;
  /** True: a zone without a Node, or a database of another zone, is meant, and rows are written. */
  readonly allowEmptyZone: boolean;
  /** True: the claim of an instance with other flags is taken, once. */
  readonly takeOver: boolean;
  /** What must have happened before a policy counts as ready. */
  readonly wait: (typeof waitPoints)[number];
  readonly waitTimeoutMs: number;
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** Whether policies get conditions and events. */
  readonly conditions: boolean;
  /** null: no HTTP server. */
  readonly metrics: MetricsConfig | null;
  /** Where the read-only page is served; null: nowhere. */
  readonly ui: PageConfig | null;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** By flag, the value of every setting, for people: the first line of the log. */
  readonly effective: Readonly<Record<string, string>>;
  /** NORTHGATE_ variables that are no setting: worth a warning. */
  readonly unknownVariables: readonly string[];
}

export interface RenderConfig extends BackendConfig {
  readonly paths: readonly string[];
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  readonly kinds: Flags;
  /** One of `tableFormats`, or a form of the backend. */
  readonly output: string;
}

export interface MigrateConfig {
  readonly paths: readonly string[];
  readonly output: (typeof manifestFormats)[number];
}

export interface CleanupConfig extends NorthboundConfig {
  readonly backend: string;
  /** False: only shows what would be removed. */
  readonly yes: boolean;
  /** Names of the kinds whose rows are meant; none: those that `run` follows by default. */
  readonly kinds: readonly string[];
  /** Whether conditions are removed too. */
  readonly conditions: boolean;
  /** As for a SourceConfig. */
  readonly kubeconfig: string | null;
  readonly zone: string | null;
  readonly output: (typeof listFormats)[number];
}

export function readRunConfig(input: ConfigInput): RunConfig {
  // First: a variable of a wrong name explains why a setting is missing.
  const unknown = unknownVariables("run", input.environment);
  const values = valuesOf("run", input);
  const { value, effective } = values;
  const source = parseSource(value("source"), {
    ...encodingOf(value),
    kubeconfig: value("kubeconfig").text || null,
  });
  return Object.freeze({
    source,
    kinds: parseKinds(values, "writes"),
    sourceTimeoutMs: parseSeconds(value("source-timeout")) * 1000,
    allowEmpty: parseBoolean(value("allow-empty")),
    allowEmptyZone: parseBoolean(value("allow-empty-zone")),
    takeOver: parseBoolean(value("take-over")),
    wait: parseWait(value("wait"), value("backend").text),
    waitTimeoutMs: parseSeconds(value("wait-timeout")) * 1000,
    ...parseRemotesOf(values),
    families: parseFamilies(value("ip-families")),
    ...parseNodeBackend(values),
    conditions: parseConditions(value("conditions"), value("backend").text),
    metrics: parseMetrics(value, source.kind === "kube" ? source : null),
    ui: parsePage(value("ui"), value, source.kind === "kube" ? source : null, " or off"),
    logLevel: parseChoice(value("log-level"), logLevels),
    logFormat: parseChoice(value("log-format"), logFormats),
    effective: effective(),
    unknownVariables: unknown,
  });
}

export function readRenderConfig(input: ConfigInput): RenderConfig {
  const values = valuesOf("render", input);
  const { value } = values;
  return Object.freeze({
    paths: value("filename").texts,
    kinds: parseKinds(values, "renders"),
    families: parseFamilies(value("ip-families")),
    ...parseNodeBackend(values),
    output: parseForm(value("output"), value("backend").text),
  });
}

export function readMigrateConfig(input: ConfigInput): MigrateConfig {
  const { value } = valuesOf("migrate", input);
  return Object.freeze({
    paths: value("filename").texts,
    output: parseChoice(value("output"), manifestFormats),
  });
}

export function readCleanupConfig(input: ConfigInput): CleanupConfig {
  const values = valuesOf("cleanup", input);
  const { value } = values;
  return Object.freeze({
    ...parseRemotesOf(values),
    backend: value("backend").text,
    yes: parseBoolean(value("yes")),
    kinds: value("kind").texts.filter((text) => text !== ""),
    conditions: !parseBoolean(value("no-conditions")) && writesConditions(values),
    kubeconfig: value("kubeconfig").text || null,
    zone: parseZone(value("zone")),
    output: parseChoice(value("output"), listFormats),
  });
}

type KubeConfig = Extract<SourceConfig, { readonly kind: "kube" }>;

/** What the flags of a cluster say, where the source is one. */
export function parseCluster(
  value: (flag: "kubeconfig" | "context" | "kube-api-content-type") => Value,
): Omit<KubeConfig, "kind"> {
  const context = value("context").text || null;
  const named = context === null ? {} : { context };
  return { kubeconfig: value("kubeconfig").text || null, ...named, ...encodingOf(value) };
}

function encodingOf(value: (flag: "kube-api-content-type") => Value): Pick<KubeConfig, "objects"> {
  const type = parseChoice(value("kube-api-content-type"), contentTypes);
  return type === "application/json" ? { objects: "json" } : {};
}

export function parseSource({ text, from }: Value, cluster: Omit<KubeConfig, "kind">): SourceConfig {
  if (text === "kube") return { kind: "kube", ...cluster };
  const path = text.startsWith("dir:") ? text.slice("dir:".length) : "";
  if (path === "") throw new UsageError(`${from}: ${JSON.stringify(text)} is not kube or dir:PATH`);
  return { kind: "directory", path };
}

export function parseSeconds({ text, from }: Value): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= seconds.least && value <= seconds.most) return value;
  throw new UsageError(
    `${from}: ${JSON.stringify(text)} is not a number of seconds from ${seconds.least} to ${seconds.most}`,
  );
}

/** Only the databases of OVN say when every chassis has followed. */
function parseWait(value: Value, backend: string): (typeof waitPoints)[number] {
  const point = parseChoice(value, waitPoints);
  if (point === "hv" && backendNamed(backend).needsZone)
    throw new UsageError(`${value.from}: --backend ${backend} has no chassis: what is written is in force`);
  return point;
}

/** auto: not with a backend of one node, since each node would write one. */
export function parseConditions(value: Value, backend: string): boolean {
  const chosen = parseChoice(value, conditionChoices);
  return chosen === "auto" ? !backendNamed(backend).needsZone : chosen === "true";
}

/** Of a backend of one node, a zone says whose conditions are meant. */
function writesConditions({ value }: BackendValues): boolean {
  return !backendNamed(value("backend").text).needsZone || parseZone(value("zone")) !== null;
}

interface BackendValues {
  readonly value: (flag: "zone" | "backend") => Value;
  readonly given: (flag: string) => Value | null;
  readonly flagsOf: (otherwise: Flags) => Flags;
}

/** Settings that every command which computes rows has. */
export function parseBackend({ value, given, flagsOf }: BackendValues): BackendConfig {
  const backend = value("backend").text;
  const { options } = backendNamed(backend);
  for (const flag of Object.keys(backendDefaults)) {
    const from = given(flag)?.from;
    if (from !== undefined && options[flag] === undefined)
      throw new UsageError(`${from}: has no meaning with --backend ${backend}`);
  }
  return { zone: parseZone(value("zone")), backend, backendFlags: flagsOf(backendDefaults) };
}

/** As parseBackend, of a command that writes, or prints what would be written: for a backend of one node, which node it is. */
function parseNodeBackend(values: BackendValues): BackendConfig {
  const config = parseBackend(values);
  if (backendNamed(config.backend).needsZone && config.zone === null)
    throw new UsageError(`--zone is needed with --backend ${config.backend}: the name of the node`);
  return config;
}

/** One of `tableFormats`, or a form that this backend has. */
function parseForm(value: Value, backend: string): string {
  return parseChoice(value, [...tableFormats, ...Object.keys(backendNamed(backend).forms)]);
}

/** null: every node's. An empty zone is refused as a mistake: it would include every node's ports. */
function parseZone({ text, from, isDefault }: Value): string | null {
  if (text === "" && !isDefault) throw new UsageError(`${from}: a node's name is needed`);
  return text || null;
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
  return ipFamilies.filter((family) => names.some((name) => known.get(name) === family));
}

export function parseBoolean(value: Value): boolean {
  return parseChoice(value, ["true", "false"]) === "true";
}

export function parseChoice<C extends string>({ text, from }: Value, choices: readonly C[]): C {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined)
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not ${choices.join(", ")}`);
  return choice;
}
