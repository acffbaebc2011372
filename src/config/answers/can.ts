// The settings of `northgate can` and `northgate matrix`. Refuses wrong usage as config.ts does.

import type { Cidr } from "../../model/ip.ts";
import type { AskedProtocol } from "../../model/protocols.ts";
import { parseBoolean, parseChoice } from "../config.ts";
import { matrixFormats, tableFormats } from "../choices.ts";
import type { WorldSource } from "../config.ts";
import { isPortName } from "../../model/syntax.ts";
import type { WorldConfig } from "./questions.ts";
import {
  fileValues,
  parseNetworks,
  parseOptionalPort,
  portOrName,
  parseProtocol,
  parseWorld,
} from "./questions.ts";
import { parseWatch } from "../watch.ts";
import type { ConfigInput, Value } from "../values.ts";
import { UsageError, valuesOf } from "../values.ts";

interface AskedTraffic {
  /** null: every protocol, or every port. */
  readonly protocol: AskedProtocol | null;
  /** Or the name of a container port. */
  readonly port: number | string | null;
}

export interface CanConfig {
  readonly world: WorldConfig;
  readonly question: {
    /** null: everybody. */
    readonly from: string | null;
    readonly to: string | null;
  } & AskedTraffic;
  /** Of ends that are named without one; null: `default`. */
  readonly namespace: string | null;
  readonly serviceNetworks: readonly Cidr[];
  readonly output: (typeof tableFormats)[number];
  /** Whether the answer is given again whenever it changes. */
  readonly watch: boolean;
}

export function readCanConfig(input: ConfigInput): CanConfig {
  const values = valuesOf("can", input);
  const { value } = values;
  const world = parseWorld(values, fileValues(value, value("names-file")));
  return Object.freeze({
    world,
    question: { ...parseEnds(value), ...parseTraffic(value) },
    namespace: value("namespace").text || null,
    serviceNetworks: parseNetworks(value("service-cidr")),
    output: parseChoice(value("output"), tableFormats),
    watch: parseWatch(value("watch"), world),
  });
}

export interface OlderConfig {
  /** As it was given. */
  readonly text: string;
  readonly source: WorldSource;
}

export interface MatrixConfig {
  readonly world: WorldConfig;
  readonly question: {
    /** null: all namespaces. */
    readonly namespace: string | null;
  } & AskedTraffic;
  /** Manifests of the older world; null: none. */
  readonly diff: OlderConfig | null;
  readonly serviceNetworks: readonly Cidr[];
  readonly output: (typeof matrixFormats)[number];
}

export function readMatrixConfig(input: ConfigInput): MatrixConfig {
  const values = valuesOf("matrix", input);
  const { value } = values;
  const diff = parseOlder(value("diff"));
  const world = parseWorld(values, fileValues(value, value("names-file")));
  if (diff !== null && world.source.kind !== "files")
    throw new UsageError("--diff compares manifests with manifests: -f PATH or -k DIR is needed");
  return Object.freeze({
    ...{ world, diff },
    question: { namespace: value("namespace").text || null, ...parseTraffic(value) },
    serviceNetworks: parseNetworks(value("service-cidr")),
    output: parseChoice(value("output"), matrixFormats),
  });
}

const kustomization = "kustomize:";

function parseOlder({ text, from }: Value): OlderConfig | null {
  if (text === "") return null;
  if (text === kustomization) throw new UsageError(`${from}: ${kustomization} needs a folder`);
  const source: WorldSource = text.startsWith(kustomization)
    ? { kind: "files", paths: [], kustomizations: [text.slice(kustomization.length)] }
    : { kind: "directory", path: text };
  return { text, source };
}

function parseEnds(
  value: (flag: "from" | "to" | "all") => Value,
): Pick<CanConfig["question"], "from" | "to"> {
  const [from, to] = [value("from").text || null, value("to").text || null];
  const all = parseBoolean(value("all"));
  const given = from === null ? "--to" : "--from";
  if (all && (from !== null || to !== null)) throw new UsageError(`--all and ${given}: use only one of them`);
  if (!all && from === null && to === null)
    throw new UsageError("--to END (who can reach it), --from END (what it can reach) or --all is needed");
  return { from, to };
}

/** A port without a protocol is one of tcp; of a Service it is the Service's. */
function parseTraffic(value: (flag: "protocol" | "port") => Value): AskedTraffic {
  const given = value("protocol").text === "" ? null : parseProtocol(value("protocol"));
  const { text } = value("port");
  const port =
    isPortName(text) && given !== "icmp" ? text : parseOptionalPort(value("port"), given, portOrName);
  return { protocol: given ?? (port === null ? null : "tcp"), port };
}
