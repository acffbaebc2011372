// The settings of the commands that only ask: explain and get. Refuses wrong usage as config.ts does, whose parsers of
// values it uses.

import type { Cidr, IpFamily } from "../../model/ip.ts";
import { parseCidr } from "../../model/ip.ts";
import type { AskedProtocol } from "../../model/protocols.ts";
import { askedProtocols } from "../../model/protocols.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import { namesFlag } from "../../policy/contracts/names.ts";
import type { BackendConfig, WorldSource } from "../config.ts";
import { parseBoolean, parseChoice, parseBackend, parseCluster, parseSource } from "../config.ts";
import { parseFamilies } from "../families.ts";
import { getFormats, getOrders, tableFormats } from "../choices.ts";
import { parseKinds } from "../kinds.ts";
import type { NorthboundConfig, NorthboundFlag } from "../remotes.ts";
import { parseNorthbound, refuseWithoutRemotes } from "../remotes.ts";
import type { ConfigInput, Value } from "../values.ts";
import { parseWatch } from "../watch.ts";
import { isPortName } from "../../model/syntax.ts";
import { UsageError, valuesOf } from "../values.ts";

/** The objects that are asked about, and the rows that they would have. */
export interface WorldConfig extends BackendConfig {
  readonly source: WorldSource;
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  readonly kinds: Flags;
  /** Patterns of paths in folders that are left out. */
  readonly ignore: readonly string[];
  /** Recorded answers of DNS; null: none. */
  readonly namesFile?: string | null;
}

export interface ExplainConfig {
  readonly world: WorldConfig;
  /** One connection; null: those of `connections`. */
  readonly question: AskedConnection | null;
  /** A file of connections; "-": standard input; null: none. */
  readonly connections: string | null;
  readonly directions: readonly ("egress" | "ingress")[];
  readonly all: boolean;
  /** Of ends that are named without one; null: `default`. */
  readonly namespace: string | null;
  readonly serviceNetworks: readonly Cidr[];
  readonly rows: RowsConfig | null;
  /** Files with counts of rules; none: not asked. */
  readonly hits: readonly string[];
  readonly output: (typeof tableFormats)[number];
  /** Whether the answer is given again whenever it changes: of one connection, without rows. */
  readonly watch: boolean;
}

/** The rows that are asked beside the policies: of a database, or `file:PATH`. */
export type RowsConfig = NorthboundConfig;

export interface AskedConnection {
  readonly from: string;
  readonly to: string;
  readonly protocol: AskedProtocol;
  /** A number, or the name of a container port of the destination; null: of icmp, or of a Service that says it. */
  readonly port: number | string | null;
}

export interface GetConfig {
  readonly world: WorldConfig;
  /** Files with counts of rules; none: not asked. */
  readonly hits: readonly string[];
  readonly rows: RowsConfig | null;
  readonly sortBy: (typeof getOrders)[number];
  readonly output: (typeof getFormats)[number];
}

type WorldFlag =
  | "filename"
  | "source"
  | "kubeconfig"
  | "context"
  | "kube-api-content-type"
  | "zone"
  | "ip-families"
  | "backend";

interface WorldValues {
  readonly value: (flag: WorldFlag) => Value;
  readonly given: (flag: string) => Value | null;
  readonly flagsOf: (otherwise: Flags) => Flags;
}

/** Flags of manifests that not every command takes. */
interface FileValues {
  readonly kustomize: Value;
  readonly ignore: Value;
  /** Absent: the command takes none. */
  readonly names?: Value;
}

export function fileValues(value: (flag: "kustomize" | "ignore") => Value, names?: Value): FileValues {
  return { kustomize: value("kustomize"), ignore: value("ignore"), ...(names && { names }) };
}

/** Texts of a flag that may be repeated; none where it is not given. */
export function textsOf({ texts }: Value): readonly string[] {
  return texts.filter((text) => text !== "");
}

/** Of a command that takes all of these flags. */
export function parseWorld({ value, given, flagsOf }: WorldValues, files?: FileValues): WorldConfig {
  return {
    ignore: files === undefined ? [] : textsOf(files.ignore),
    source: parseWorldSource(value, files === undefined ? [] : textsOf(files.kustomize)),
    families: parseFamilies(value("ip-families")),
    ...parseBackend({ value, given, flagsOf }),
    ...parseRecorded(files?.names, given, parseKinds({ given, flagsOf }, "judges")),
  };
}

/** With recorded answers, names are judged as where they are resolved. */
export function parseRecorded(
  file: Value | undefined,
  given: (flag: string) => Value | null,
  kinds: Flags,
): Pick<WorldConfig, "kinds" | "namesFile"> {
  if (file === undefined || file.text === "") return { kinds, namesFile: null };
  const mode = given(namesFlag);
  if (mode !== null && mode.text === "off")
    throw new UsageError(`${file.from}: has no meaning with ${mode.from} off`);
  return { kinds: mode === null ? { ...kinds, [namesFlag]: "poll" } : kinds, namesFile: file.text };
}

function parseWorldSource(
  value: (flag: "filename" | "source" | "kubeconfig" | "context" | "kube-api-content-type") => Value,
  kustomizations: readonly string[],
): WorldSource {
  const [files, source] = [value("filename"), value("source")];
  if (files.isDefault && kustomizations.length === 0) return parseSource(source, parseCluster(value));
  // A source that the environment or a file names is meant for `run`.
  if (source.from === "--source" && !source.isDefault)
    throw new UsageError(
      `--${files.isDefault ? "kustomize" : "filename"} and --source: use only one of them`,
    );
  return { kind: "files", paths: textsOf(files), ...(kustomizations.length > 0 ? { kustomizations } : {}) };
}

export function readExplainConfig(input: ConfigInput): ExplainConfig {
  const values = valuesOf("explain", input);
  const { value } = values;
  const asked = ["from", "to", "protocol", "port"] as const;
  const given = asked.filter((flag) => !value(flag).isDefault);
  const connections = value("connections").text || null;
  if (connections !== null && given.length > 0)
    throw new UsageError(`--connections and --${given[0] ?? ""}: use only one of them`);
  if (connections === "-" && value("filename").texts.includes("-"))
    throw new UsageError("--connections and --filename: only one of them can be -, standard input");
  const direction = value("direction").text;
  const world = parseWorld(values, fileValues(value, value("names-file")));
  return Object.freeze({
    world,
    question: connections === null ? parseQuestion(value) : null,
    connections,
    directions: (["egress", "ingress"] as const).filter((one) => direction === "both" || direction === one),
    all: parseBoolean(value("all")),
    namespace: value("namespace").text || null,
    serviceNetworks: parseNetworks(value("service-cidr")),
    rows: parseRows(value),
    hits: textsOf(value("hits")),
    output: parseChoice(value("output"), tableFormats),
    watch: parseWatch(value("watch"), world, value("connections"), value("nb")),
  });
}

export function readGetConfig(input: ConfigInput): GetConfig {
  const values = valuesOf("get", input);
  const { value } = values;
  return Object.freeze({
    world: parseWorld(values, fileValues(value, value("names-file"))),
    hits: textsOf(value("hits")),
    sortBy: parseChoice(value("sort-by"), getOrders),
    rows: parseRows(value),
    output: parseChoice(value("output"), getFormats),
  });
}

/** null: rows are not asked. */
export function parseRows(value: (flag: NorthboundFlag | "backend") => Value): RowsConfig | null {
  const { text: nb, from } = value("nb");
  if (nb === "") return null;
  refuseWithoutRemotes(value("backend").text, value("nb"));
  if (nb === "file:") throw new UsageError(`${from}: file: needs a path`);
  return nb.startsWith("file:") ? { nb, tls: null } : parseNorthbound(value);
}

function parseQuestion(value: (flag: "from" | "to" | "protocol" | "port") => Value): AskedConnection {
  const missing = (["from", "to", "protocol"] as const).find((flag) => value(flag).text === "");
  if (missing !== undefined)
    throw new UsageError(`--${missing} is needed, or --connections with a file of connections`);
  const protocol = parseProtocol(value("protocol"));
  return {
    from: value("from").text,
    to: value("to").text,
    protocol,
    port: parsePort(value("port"), protocol, value("to").text),
  };
}

function parsePort(value: Value, protocol: AskedProtocol, to: string): number | string | null {
  if (protocol !== "icmp") {
    if (value.text === "" && isServiceName(to)) return null;
    if (value.text === "") throw new UsageError("--port is needed: the port of the destination");
    if (isPortName(value.text)) return value.text;
  }
  return parseOptionalPort(value, protocol, portOrName);
}

export const portOrName = "a port, 1 to 65535 or the name of a container port";

/** null: none is given. */
export function parseOptionalPort(
  { text, from }: Value,
  protocol: AskedProtocol | null,
  wanted = "a port, 1 to 65535",
): number | null {
  if (text === "") return null;
  if (protocol === "icmp") throw new UsageError(`${from}: icmp has no ports`);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) throw new UsageError(`${from}: ${JSON.stringify(text)} is not ${wanted}`);
  return port;
}

/** Such an end says its own port. */
function isServiceName(end: string): boolean {
  return /(^|\/)(svc|services?)\//.test(end);
}

/** In any case of letters. */
export function parseProtocol(value: Value): AskedProtocol {
  return parseChoice({ ...value, text: value.text.toLowerCase() }, askedProtocols);
}

export function parseNetworks({ texts }: Value): readonly Cidr[] {
  return texts.flatMap((text) => parseNetwork(text));
}

function parseNetwork(text: string): readonly Cidr[] {
  if (text === "") return [];
  const cidr = parseCidr(text);
  if (cidr === null) throw new UsageError(`--service-cidr: ${JSON.stringify(text)} is not a network`);
  return [cidr];
}
