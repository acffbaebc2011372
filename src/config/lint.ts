// The settings of `northgate lint`. Refuses wrong usage as config.ts does; whether an id is in the catalogue, the command says.

import { parseChoice } from "./config.ts";
import type { RowsConfig, WorldConfig } from "./questions.ts";
import { parseRows, parseWorld } from "./questions.ts";
import { lintFormats, lintSeverities } from "./choices.ts";
import type { NeedsConfig } from "./needs.ts";
import { parseNamespace, parseNeeds } from "./needs.ts";
import type { ConfigInput } from "./values.ts";
import { valuesOf } from "./values.ts";

export interface LintConfig extends NeedsConfig {
  readonly world: WorldConfig;
  /** null: not asked. */
  readonly rows: RowsConfig | null;
  readonly failOn: (typeof lintSeverities)[number];
  /** Ids; none: every rule. */
  readonly rules: readonly string[];
  readonly skip: readonly string[];
  /** null: not asked. */
  readonly monitoring: string | null;
  readonly output: (typeof lintFormats)[number];
}

export function readLintConfig(input: ConfigInput): LintConfig {
  const values = valuesOf("lint", input);
  const { value } = values;
  const given = (flag: "rule" | "skip"): readonly string[] => value(flag).texts.filter((text) => text !== "");
  return Object.freeze({
    world: parseWorld(values),
    rows: parseRows(value),
    failOn: parseChoice(value("fail-on"), lintSeverities),
    rules: given("rule"),
    skip: given("skip"),
    ...parseNeeds(value),
    monitoring:
      value("monitoring").text === "" ? null : parseNamespace(value("monitoring").text, "--monitoring"),
    output: parseChoice(value("output"), lintFormats),
  });
}
