// `northgate render`: manifests in, desired rows out, without a database. Reports refused objects on standard error and
// renders the rest.

import type { Command } from "commander";
import { stringify as toYaml } from "yaml";
import type { RenderConfig } from "../config/config.ts";
import { readRenderConfig } from "../config/config.ts";
import type { Installed } from "../dialects.ts";
import { installed, kindsNamed } from "../dialects.ts";
import type { LoadedManifests } from "../informers/index.ts";
import { formatSourceProblem, loadManifests } from "../informers/index.ts";
import { isNamespace, isPod } from "../model/object.ts";
import type { Tables } from "../nbdb/desired/tables.ts";
import { offlineModel } from "../offline/rendered.ts";
import { formatFinding } from "../status/findings.ts";
import { declareFlags, precedence } from "./flags.ts";
import { formatTable } from "./table.ts";

export function addRender(program: Command): void {
  const command = program
    .command("render")
    .summary("print the Northbound rows that manifests stand for; needs no database")
    .description(
      `Reads ${[...kindsNamed.keys()].join(", ")} and what they refer to, Namespace, Pod and Node manifests and prints the rows that ` +
        "`northgate run` would keep in the OVN Northbound database. Objects that are refused are named on standard error " +
        "with file, line and field; the others are rendered.",
    );
  const given = declareFlags(command, "render");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Exit codes: 0 all rendered, 1 something was refused (the rest is rendered), 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate render -f examples/cluster-control\n" +
        "  northgate render -f policies/ -f cluster.yaml -o json | jq '.ACL[] | {name, priority, match}'\n",
    )
    .action(() => {
      process.exitCode = render(readRenderConfig(given()));
    });
}

function render(config: RenderConfig): number {
  const kinds = installed(config.kinds);
  const loaded = loadManifests(config.paths, kinds.policies, kinds.references);
  const { tables, lines, refused } = renderObjects(loaded, kinds, config);
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.stdout.write(print(tables, config.output));
  return refused ? 1 : 0;
}

interface Rendered {
  readonly tables: Tables;
  readonly lines: readonly string[];
  readonly refused: boolean;
}

function renderObjects(
  loaded: LoadedManifests,
  { dialects }: Pick<Installed, "dialects">,
  config: RenderConfig,
): Rendered {
  const { objects } = loaded;
  const model = offlineModel({ objects, dialects, families: config.families, mode: config });
  const findings = [...model.records()].flatMap((record) =>
    record.problems.map((problem) => ({ record, problem })),
  );
  return {
    tables: model.tables(),
    lines: [
      ...loaded.problems.map(formatSourceProblem),
      ...findings.map(({ record, problem }) => formatFinding(record, problem, loaded.placeOf)),
      ...homeless(loaded),
    ],
    refused:
      loaded.problems.some(({ problem }) => problem.severity === "error") ||
      findings.some(({ problem }) => problem.severity === "error"),
  };
}

/** A cluster's pods always have a namespace; a manifest may omit it, and then no selector matches the pod. */
function homeless({ objects }: LoadedManifests): readonly string[] {
  const known = new Set(objects.filter(isNamespace).map((object) => object.name));
  const missing = new Set<string>();
  for (const object of objects) {
    if (isPod(object) && !known.has(object.namespace)) missing.add(object.namespace);
  }
  return [...missing].map(
    (name) => `warning: Namespace ${name} is not among the manifests: no policy selects its pods`,
  );
}

function print(tables: Tables, format: RenderConfig["output"]): string {
  switch (format) {
    case "json":
      return `${JSON.stringify(tables, null, 2)}\n`;
    case "yaml":
      return toYaml(tables, { lineWidth: 0 });
    case "table":
      return formatTable(tables);
  }
}
