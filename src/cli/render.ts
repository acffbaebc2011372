// `northgate render`: manifests in, desired rows out, without a database. Reports refused objects on standard error and
// renders the rest.

import type { Command } from "commander";
import { stringify as toYaml } from "yaml";
import { backendNamed } from "../backends.ts";
import type { RenderConfig } from "../config/config.ts";
import { readRenderConfig } from "../config/config.ts";
import { kindsNamed } from "../dialects.ts";
import { formatSourceProblem } from "../informers/index.ts";
import { isPod } from "../model/object.ts";
import type { RenderedModel } from "../offline/rendered.ts";
import { fieldsOf } from "../policy/contracts/dialect.ts";
import { placedAdvice } from "../status/findings.ts";
import { allDuplicates, unmatchedPorts } from "../status/policy-events.ts";
import { printError } from "./print/print-error.ts";
import { declareFlags, precedence } from "./flags.ts";
import { referenceFindings } from "../worlds/reference-findings.ts";
import type { LoadedWorld } from "../worlds/world.ts";
import { loadWorld } from "../worlds/world.ts";

export function addRender(program: Command): void {
  const command = program
    .command("render")
    .summary("print the rows or rules that manifests stand for; needs no database")
    .description(
      `Reads ${[...kindsNamed.keys()].join(", ")} and what they refer to, Namespace, Pod and Node manifests and prints the rows that ` +
        "`northgate run` would keep in the OVN Northbound database; with --backend iptables, the chains and sets of one " +
        "node's packet filter. Objects that are refused are named on standard error " +
        "with file, line and field; the others are rendered. Priorities that several policies have, and named ports that " +
        "no pod has, are warnings.",
    );
  const given = declareFlags(command, "render");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Exit codes: 0 all rendered, 1 something was refused (the rest is rendered), 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate render -f examples/cluster-control\n" +
        "  northgate render -f policies/ -f cluster.yaml -o json | jq '.ACL[] | {name, priority, match}'\n" +
        "  northgate render -f policies/ -f cluster.yaml --backend iptables --zone worker-1 -o restore\n",
    )
    .action(async () => {
      process.exitCode = await render(readRenderConfig(given()));
    });
}

async function render(config: RenderConfig): Promise<number> {
  const world = await loadWorld(
    { kind: "files", paths: config.paths },
    { ...config, rowsOnly: true, mayMiss: true },
  );
  const { model, lines, refused } = world;
  const references = referenceFindings(world);
  for (const line of [...lines, ...references.map(formatSourceProblem), ...adviceOn(world)])
    process.stderr.write(`${line}\n`);
  if (isOnNoNode(config, world))
    printError(`warning: --zone ${config.zone ?? ""}: no pod of the manifests is on this node`);
  process.stdout.write(print(model, config));
  return refused || references.length > 0 ? 1 : 0;
}

/** A misspelled node would have a filter that filters nothing. */
function isOnNoNode({ backend, zone }: RenderConfig, { objects }: LoadedWorld): boolean {
  return backendNamed(backend).needsZone && !objects.some((object) => isPod(object) && object.node === zone);
}

/** What `run` would say of the policies among each other and the pods; of ports nothing while no pod is there. */
function adviceOn({ model, dialects, placeOf, objects }: LoadedWorld): readonly string[] {
  const records = [...model.records()];
  const fieldOf = fieldsOf(dialects);
  const portless = objects.some(isPod)
    ? records.flatMap((record) => unmatchedPorts(record, model.backend.unmatchedPorts(record.key)))
    : [];
  return [...allDuplicates(records), ...portless].map((one) =>
    formatSourceProblem(placedAdvice(one, fieldOf, placeOf)),
  );
}

function print(model: RenderedModel, { backend: name, output }: RenderConfig): string {
  const backend = backendNamed(name);
  switch (output) {
    case "json":
      return `${JSON.stringify(backend.data(model), null, 2)}\n`;
    case "yaml":
      // The same list in several rows is written each time: an alias of YAML is not for people.
      return toYaml(backend.data(model), { lineWidth: 0, aliasDuplicateObjects: false });
    case "table":
      return backend.text(model);
    default:
      return backend.forms[output]?.(model) ?? "";
  }
}
