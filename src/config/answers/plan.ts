// The settings of `northgate plan`. Refuses wrong usage as config.ts does, whose parsers of values it uses.

import { ovnCni } from "../../cni/answers.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import { planFailures, planFormats } from "../choices.ts";
import type { BackendConfig, FileSource, WorldSource } from "../config.ts";
import { parseBoolean, parseChoice, parseBackend, parseCluster, parseSource } from "../config.ts";
import { parseFamilies } from "../families.ts";
import { parseKinds } from "../kinds.ts";
import type { NeedsConfig } from "../needs.ts";
import { parseNeeds } from "../needs.ts";
import type { NorthboundConfig, TlsFlag } from "../remotes.ts";
import { parseNorthbound, refuseWithoutRemotes } from "../remotes.ts";
import { textsOf, parseRecorded } from "./questions.ts";
import type { ConfigInput, Value, Values } from "../values.ts";
import { UsageError, valuesOf } from "../values.ts";

/** What a plan compares with; `rows`: those of a Northbound database. */
export type AgainstConfig = WorldSource | { readonly kind: "rows"; readonly rows: NorthboundConfig };

export interface PlanConfig extends BackendConfig {
  readonly given: FileSource;
  /** Patterns of paths in folders that are left out. */
  readonly ignore: readonly string[];
  readonly against: AgainstConfig;
  /** As it was given. */
  readonly againstText: string;
  readonly prune: boolean;
  /** In the world that is planned, staged policies are in force. */
  readonly staged: boolean;
  /** None: every difference counts. */
  readonly failOn: readonly (typeof planFailures)[number][];
  /** Path of a record of connections; null: none is given. */
  readonly flows: string | null;
  /** What was not judged is no failure. */
  readonly allowUnjudged: boolean;
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  readonly kinds: Flags;
  /** As in WorldConfig. */
  readonly namesFile?: string | null;
  /** What pods are expected to reach. */
  readonly needs: NeedsConfig;
  /** Rows are shown to people. */
  readonly rows: boolean;
  /** So are the ways by which nodes reach their own pods. */
  readonly nodes: boolean;
  readonly output: PlanFormat;
  /** Files that are written beside what is printed. */
  readonly reports: readonly PlanFile[];
}

export type PlanFormat = (typeof planFormats)[number];

export interface PlanFile {
  readonly format: PlanFormat;
  readonly path: string;
}

export function readPlanConfig(input: ConfigInput): PlanConfig {
  const values = valuesOf("plan", input);
  const { value } = values;
  const against = parseAgainst(value);
  const prune = parseBoolean(value("prune"));
  if (prune && against.kind !== "kube")
    throw new UsageError("--prune is for --against kube: other worlds are compared whole");
  const recorded = parseRecorded(value("names-file"), values.given, parseKinds(values, "judges"));
  refuseRows(values, against);
  const staged = parseBoolean(value("staged"));
  if (staged && against.kind === "rows")
    throw new UsageError("--staged compares verdicts, and rows of a database have none to compare");
  const failures = value("fail-on");
  if (against.kind === "rows" && failures.texts.some((text) => text !== ""))
    throw new UsageError("--fail-on asks about verdicts, and rows of a database have none to compare");
  const output = parseChoice(value("output"), planFormats);
  const reports = parseReports(value("report"));
  const flows = parseFlows(value("flows"), against, [output, ...reports.map(({ format }) => format)]);
  return Object.freeze({
    flows,
    given: parseGiven(values),
    ignore: textsOf(value("ignore")),
    against,
    againstText: value("against").texts.join(", "),
    prune,
    staged,
    failOn: failures.texts
      .filter((text) => text !== "")
      .map((text) => parseChoice({ ...failures, text }, planFailures)),
    allowUnjudged: parseBoolean(value("allow-unjudged")),
    families: parseFamilies(value("ip-families")),
    ...parseBackend(values),
    ...recorded,
    needs: parseNeeds(value),
    rows: parseBoolean(value("rows")),
    nodes: parseBoolean(value("nodes")),
    output,
    reports,
  });
}

function parseReports(value: Value): readonly PlanFile[] {
  return textsOf(value).map((text) => {
    const [, word = "", path = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (path === "") throw new UsageError(`${value.from}: ${JSON.stringify(text)} is not FORMAT=FILE`);
    return { format: parseChoice({ ...value, text: word }, planFormats), path };
  });
}

const flowsFormats: readonly PlanFormat[] = ["table", "json", "yaml"];

function parseFlows(
  { text, from }: Value,
  against: AgainstConfig,
  formats: readonly PlanFormat[],
): string | null {
  if (text === "") return null;
  if (against.kind === "rows")
    throw new UsageError(`${from} asks about verdicts, and rows of a database have none to compare`);
  const other = formats.find((format) => !flowsFormats.includes(format));
  if (other !== undefined)
    throw new UsageError(`${from} is shown by -o ${flowsFormats.join(", ")}, not by -o ${other}`);
  return text;
}

/** Of a cluster without OVN. */
function refuseRows({ value }: Values<"plan">, against: AgainstConfig): void {
  const { text: cni } = value("cni");
  if (cni === ovnCni) return;
  if (against.kind === "rows") throw new UsageError(`--against nb: has no meaning with --cni ${cni}`);
  if (parseBoolean(value("rows"))) throw new UsageError(`--rows has no meaning with --cni ${cni}`);
}

function parseGiven({ value, optional }: Values<"plan">): FileSource {
  const kustomizations = textsOf(value("kustomize"));
  const files = kustomizations.length > 0 ? optional("filename") : value("filename");
  return { kind: "files", paths: textsOf(files), kustomizations };
}

/** Several are parts of one state. */
function partsOf({ texts, from }: Value): FileSource {
  const after = (prefix: string): readonly string[] =>
    texts.flatMap((text) => (text.startsWith(prefix) ? [text.slice(prefix.length)] : []));
  const [paths, kustomizations] = [after("dir:"), after("kustomize:")];
  const parts = [...paths, ...kustomizations];
  if (parts.length < texts.length || parts.includes(""))
    throw new UsageError(`${from}: of several, each is dir:PATH or kustomize:DIR`);
  return { kind: "files", paths, kustomizations };
}

function parseAgainst(
  value: (
    flag: "against" | "kubeconfig" | "context" | "kube-api-content-type" | "backend" | TlsFlag,
  ) => Value,
): AgainstConfig {
  const given = value("against");
  if (given.texts.length > 1 || /^kustomize:./.test(given.text)) return partsOf(given);
  if (given.text.startsWith("nb:")) refuseWithoutRemotes(value("backend").text, given);
  const remote = given.text.startsWith("nb:") ? given.text.slice("nb:".length) : "";
  if (remote.startsWith("file:")) return { kind: "rows", rows: { nb: remote, tls: null } };
  if (remote !== "") {
    const nb = { ...given, text: remote };
    return { kind: "rows", rows: parseNorthbound((flag) => (flag === "nb" ? nb : value(flag))) };
  }
  if (given.text !== "kube" && !/^dir:./.test(given.text))
    throw new UsageError(
      `${given.from}: ${JSON.stringify(given.text)} is not kube, dir:PATH, kustomize:DIR or nb:REMOTE`,
    );
  return parseSource(given, parseCluster(value));
}
