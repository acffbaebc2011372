// The settings of `doctor` and `support-bundle`: those of a run that shape what it needs, and where an installation can be asked. Refuses
// wrong usage as config.ts does.

import type { IpFamily } from "../../model/ip.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import type { BackendConfig } from "../config.ts";
import { parseBackend, parseChoice, parseConditions } from "../config.ts";
import { parseFamilies } from "../families.ts";
import { tableFormats } from "../choices.ts";
import { parseKinds } from "../kinds.ts";
import { parseRows, textsOf } from "./questions.ts";
import type { NorthboundConfig } from "../remotes.ts";
import type { FlagOf } from "../settings.ts";
import type { ConfigInput, Value, Values } from "../values.ts";
import { UsageError, valuesOf } from "../values.ts";

/** Which installation is meant. */
export interface ExaminedConfig extends BackendConfig {
  /** As for a SourceConfig. */
  readonly kubeconfig: string | null;
  readonly context: string | null;
  readonly kinds: Flags;
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** Whether a run with these flags writes conditions and events. */
  readonly conditions: boolean;
  /** Whether its metrics take tokens. */
  readonly reviewsTokens: boolean;
  /** null: the database is not asked. */
  readonly northbound: NorthboundConfig | null;
  /** Without a path. */
  readonly instances: readonly URL[];
  /** Whose rights are reviewed; null: those of the credentials. */
  readonly account: { readonly namespace: string; readonly name: string } | null;
}

export interface DoctorConfig extends ExaminedConfig {
  readonly output: (typeof tableFormats)[number];
}

export interface BundleConfig extends ExaminedConfig {
  /** Of the archive; null: nothing is read, and what it would hold is shown. */
  readonly file: string | null;
  readonly anonymizes: boolean;
  /** Of the Pods of Northgate. */
  readonly namespace: string;
  /** By flag, the text of every setting that is not empty. */
  readonly effective: Readonly<Record<string, string>>;
}

export function readDoctorConfig(input: ConfigInput): DoctorConfig {
  const values = valuesOf("doctor", input);
  return Object.freeze({
    ...parseExamined(values),
    output: parseChoice(values.value("output"), tableFormats),
  });
}

export function readBundleConfig(input: ConfigInput): BundleConfig {
  const values = valuesOf("support-bundle", input);
  const { value } = values;
  const file = value("output").text || null;
  const isDry = value("dry-run").text === "true";
  if (file === null && !isDry) throw new UsageError("--output is needed: the archive, bundle.tar.gz for one");
  return Object.freeze({
    ...parseExamined(values),
    file: isDry ? null : file,
    anonymizes: value("anonymize").text === "true",
    namespace: value("namespace").text,
    effective: values.effective(),
  });
}

type ExaminedValues = Pick<Values<"doctor">, "given" | "flagsOf"> & {
  readonly value: (flag: FlagOf<"doctor"> & FlagOf<"support-bundle">) => Value;
};

function parseExamined(values: ExaminedValues): ExaminedConfig {
  const { value } = values;
  if (value("nb").text.startsWith("file:"))
    throw new UsageError(`${value("nb").from}: a file shows nobody who writes: a database is needed`);
  return {
    kubeconfig: value("kubeconfig").text || null,
    context: value("context").text || null,
    kinds: parseKinds(values, "writes"),
    families: parseFamilies(value("ip-families")),
    ...parseBackend(values),
    conditions: parseConditions(value("conditions"), value("backend").text),
    reviewsTokens: value("metrics-auth").text === "token",
    northbound: parseRows(value),
    instances: textsOf(value("metrics-url")).map(parseUrl),
    account: parseAccount(value("service-account")),
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search !== "")
    throw new UsageError(
      `--metrics-url: ${JSON.stringify(text)} is not http://HOST:PORT or https://HOST:PORT`,
    );
  return url;
}

function parseAccount({ text, from }: Value): DoctorConfig["account"] {
  if (text === "") return null;
  const [namespace = "", name = "", ...more] = text.split("/");
  if (namespace === "" || name === "" || more.length > 0)
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not NAMESPACE/NAME`);
  return { namespace, name };
}
