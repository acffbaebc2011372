// `northgate render`: manifests in, desired rows out, without a database. Whatever is refused is told on standard error,
// and the rest is rendered.

import type { Command } from "commander";
import { Option } from "commander";
import { stringify as toYaml } from "yaml";
import { parseFamilies, UsageError } from "../config/config.ts";
import { Engine } from "../controller/engine.ts";
import { dialects } from "../dialects.ts";
import { Groups } from "../groups/index.ts";
import type { LoadedManifests } from "../informers/index.ts";
import { formatSourceProblem, keyOf, loadManifests } from "../informers/index.ts";
import { isNamespace, isPod } from "../model/object.ts";
import type { IpFamily } from "../model/ip.ts";
import { Preview } from "../nbdb/desired/preview.ts";
import type { RenderMode, NamedPortForm } from "../nbdb/rows/render-mode.ts";
import { namedPortForms } from "../nbdb/rows/render-mode.ts";
import type { Tables } from "../nbdb/desired/tables.ts";
import { formatFinding } from "../status/findings.ts";
import { formatTable } from "./table.ts";

const formats = ["table", "json", "yaml"] as const;

interface RenderFlags {
  readonly filename: readonly string[];
  readonly zone?: string;
  readonly ipFamilies: string;
  readonly namedPorts: NamedPortForm;
  readonly output: (typeof formats)[number];
}

export function addRender(program: Command): void {
  program
    .command("render")
    .summary("print the Northbound rows that manifests stand for; needs no database")
    .description(
      "Reads AdminNetworkPolicy, BaselineAdminNetworkPolicy, Namespace, Pod and Node manifests and prints the rows that " +
        "`northgate run` would keep in the OVN Northbound database. Objects that are refused are named on standard error " +
        "with file, line and field; the others are rendered.",
    )
    .requiredOption("-f, --filename <path>", "a manifest or a folder of them; may be given again", collect)
    .option(
      "--zone <node>",
      "take ports and ingress named ports of this node's pods only (default: of every pod)",
    )
    .option("--ip-families <families>", "ipv4, ipv6, ipv4,ipv6, or auto: those of podCIDRs and pods", "ipv4")
    .addOption(
      new Option(
        "--named-ports <form>",
        "destinations of named ports: list, addresses in the match; sets, an address set a number",
      )
        .choices(namedPortForms)
        .default("list"),
    )
    .addOption(new Option("-o, --output <format>", "how to print").choices(formats).default("table"))
    .addHelpText(
      "after",
      "\nExit codes: 0 all rendered, 1 something was refused (the rest is rendered), 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate render -f examples/cluster-control\n" +
        "  northgate render -f policies/ -f cluster.yaml -o json | jq '.ACL[] | {name, priority, match}'\n",
    )
    .action((flags: RenderFlags) => {
      process.exitCode = render(flags);
    });
}

function collect(path: string, paths: readonly string[] | undefined): readonly string[] {
  return [...(paths ?? []), path];
}

function render(flags: RenderFlags): number {
  const families = parseFamilies({ text: flags.ipFamilies, from: "--ip-families" });
  if (flags.zone === "") throw new UsageError("--zone: a node's name is needed");
  const loaded = loadManifests(flags.filename, dialects);
  const { tables, lines, refused } = renderObjects(loaded, families, {
    zone: flags.zone ?? null,
    namedPorts: flags.namedPorts,
  });
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.stdout.write(print(tables, flags.output));
  return refused ? 1 : 0;
}

interface Rendered {
  readonly tables: Tables;
  readonly lines: readonly string[];
  readonly refused: boolean;
}

function renderObjects(
  loaded: LoadedManifests,
  families: readonly IpFamily[] | null,
  mode: RenderMode,
): Rendered {
  const groups = new Groups();
  const preview = new Preview(groups, mode);
  const engine = new Engine({ dialects, groups, backend: preview, families });
  for (const object of loaded.objects) engine.observe(keyOf(object), object);
  engine.settleFamilies();
  const findings = [...engine.records()].flatMap((record) =>
    record.problems.map((problem) => ({ record, problem })),
  );
  return {
    tables: preview.tables(),
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

/** A cluster's pods always have a namespace; manifests may forget it, and then nothing selects them. */
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

function print(tables: Tables, format: RenderFlags["output"]): string {
  switch (format) {
    case "json":
      return `${JSON.stringify(tables, null, 2)}\n`;
    case "yaml":
      return toYaml(tables, { lineWidth: 0 });
    case "table":
      return formatTable(tables);
  }
}
