// The settings of `northgate lint`. Refuses wrong usage as config.ts does; whether an id is in the catalogue, the command says.

import type { IpAddress } from "../model/ip.ts";
import { parseIp } from "../model/ip.ts";
import { parseChoice } from "./config.ts";
import type { RowsConfig, WorldConfig } from "./questions.ts";
import { fileValues, parseRows, parseWorld } from "./questions.ts";
import { lintFormats, lintSeverities } from "./choices.ts";
import type { ConfigInput } from "./values.ts";
import { UsageError, valuesOf } from "./values.ts";

interface Service {
  readonly ip: IpAddress;
  readonly port: number;
}

export interface LintConfig {
  readonly world: WorldConfig;
  /** null: not asked. */
  readonly rows: RowsConfig | null;
  readonly failOn: (typeof lintSeverities)[number];
  /** Ids; none: every rule. */
  readonly rules: readonly string[];
  readonly skip: readonly string[];
  readonly dns: readonly (Service | { readonly namespace: string })[];
  readonly apiServer: readonly Service[];
  /** null: not asked. */
  readonly monitoring: string | null;
  readonly output: (typeof lintFormats)[number];
}

export function readLintConfig(input: ConfigInput): LintConfig {
  const values = valuesOf("lint", input);
  const { value } = values;
  const given = (flag: "rule" | "skip" | "dns" | "api-server"): readonly string[] =>
    value(flag).texts.filter((text) => text !== "");
  return Object.freeze({
    world: parseWorld(values, fileValues(value)),
    rows: parseRows(value),
    failOn: parseChoice(value("fail-on"), lintSeverities),
    rules: given("rule"),
    skip: given("skip"),
    dns: given("dns").map((text) =>
      text.includes(":") ? parseService(text, "--dns") : { namespace: parseNamespace(text, "--dns") },
    ),
    apiServer: given("api-server").map((text) => parseService(text, "--api-server")),
    monitoring:
      value("monitoring").text === "" ? null : parseNamespace(value("monitoring").text, "--monitoring"),
    output: parseChoice(value("output"), lintFormats),
  });
}

/** 10.0.0.1:53, [fd00::1]:53 */
function parseService(text: string, from: string): Service {
  const [, v6, v4, digits = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const ip = parseIp(v6 ?? v4 ?? "");
  const port = Number(digits);
  if (ip === null || port < 1 || port > 65535)
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not ADDRESS:PORT, or [ADDRESS]:PORT for IPv6`);
  return { ip, port };
}

function parseNamespace(text: string, from: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new UsageError(`${from}: ${JSON.stringify(text)} is not the name of a namespace`);
}
