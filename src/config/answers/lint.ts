// The settings of `northgate lint`. Refuses wrong usage as config.ts does; whether an id is in the catalogue, the command says.

import { parseChoice } from "../config.ts";
import type { RowsConfig, WorldConfig } from "./questions.ts";
import { fileValues, parseRows, parseWorld, textsOf } from "./questions.ts";
import type { NeedsConfig } from "../needs.ts";
import { parseNamespace, parseNeeds } from "../needs.ts";
import { lintFormats, lintLevels, lintSeverities } from "../choices.ts";
import type { ProjectSettings, Severed } from "../sources/project.ts";
import type { ConfigInput } from "../values.ts";
import { UsageError, valuesOf } from "../values.ts";

export interface LintConfig extends NeedsConfig {
  readonly world: WorldConfig;
  /** null: not asked. */
  readonly rows: RowsConfig | null;
  /** Files with counts of rules; none: not asked. */
  readonly hits: readonly string[];
  readonly failOn: (typeof lintSeverities)[number];
  /** Ids; none: every rule. */
  readonly rules: readonly string[];
  readonly skip: readonly string[];
  /** The last one of a rule counts. */
  readonly severity: readonly Severed[];
  /** Whether manifests are changed; `dry`: a diff is printed instead. */
  readonly fix: "no" | "dry" | "write";
  /** Nothing is printed when the exit code is 0. */
  readonly quiet: boolean;
  /** The table shows every finding. */
  readonly all: boolean;
  /** null: not asked. */
  readonly monitoring: string | null;
  readonly output: (typeof lintFormats)[number];
}

export function readLintConfig(input: ConfigInput, project: ProjectSettings): LintConfig {
  const values = valuesOf("lint", input);
  const { value } = values;
  const given = (flag: "rule" | "skip" | "severity"): readonly string[] =>
    value(flag).texts.filter((text) => text !== "");
  const failOn = value("fail-on");
  const world = parseWorld(values, fileValues(value, value("names-file")));
  const fix = parseFix(value("fix").text === "true", value("dry-run").text === "true");
  if (fix !== "no" && world.source.kind === "kube") throw new UsageError("--fix needs manifests: -f PATH");
  return Object.freeze({
    world,
    rows: parseRows(value),
    hits: textsOf(value("hits")),
    failOn:
      failOn.isDefault && project.lint.failOn !== null
        ? project.lint.failOn
        : parseChoice(failOn, lintSeverities),
    rules: given("rule"),
    skip: given("skip"),
    severity: [...project.lint.severity, ...given("severity").map(parseSeverity)],
    fix,
    quiet: value("quiet").text === "true",
    all: value("all").text === "true",
    ...parseNeeds(value),
    monitoring:
      value("monitoring").text === "" ? null : parseNamespace(value("monitoring").text, "--monitoring"),
    output: parseChoice(value("output"), lintFormats),
  });
}

function parseFix(fix: boolean, isDry: boolean): LintConfig["fix"] {
  if (isDry && !fix) throw new UsageError("--dry-run needs --fix");
  return fix ? (isDry ? "dry" : "write") : "no";
}

function parseSeverity(text: string): Severed {
  const [id = "", asked] = text.split("=");
  const level = lintLevels.find((one) => one === asked);
  if (id === "" || level === undefined || text.split("=").length > 2)
    throw new UsageError(
      `--severity: ${JSON.stringify(text)} is not ID=LEVEL, with a level of ${lintLevels.join(", ")}`,
    );
  return { id, level, from: "--severity" };
}
