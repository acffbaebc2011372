// `northgate migrate`: AdminNetworkPolicy and BaselineAdminNetworkPolicy manifests in, ClusterNetworkPolicy manifests out. On
// standard error, what had to be changed and whether a verdict changes. Prints no manifests unless all could be migrated.

import type { Command } from "commander";
import { stringify as toYaml } from "yaml";
import { refText } from "../analysis/ref.ts";
import type { MigrateConfig } from "../config/config.ts";
import { readMigrateConfig } from "../config/config.ts";
import { dialects, policies, references } from "../dialects.ts";
import { notReadLines, notReadOf } from "../unknowns/foreign.ts";
import { formatSourceProblem, loadManifests } from "../informers/index.ts";
import type { LoadedManifests } from "../informers/index.ts";
import type { Comparison, Difference, Finding } from "../migrate/migrate.ts";
import { isError, migrateAll } from "../migrate/migrate.ts";
import { isReferenced, keyOf, type PolicyObject } from "../model/object.ts";
import { printable } from "../model/quote.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import { declareFlags, precedence } from "./flags.ts";
import { foreignAmong } from "../worlds/foreign.ts";
import { nothingLeftOut } from "../worlds/left-out.ts";
import { ignoredLines } from "../worlds/world.ts";

export function addMigrate(program: Command): void {
  const command = program
    .command("migrate")
    .summary("turn AdminNetworkPolicy manifests into ClusterNetworkPolicy manifests; needs no database")
    .description(
      "Reads AdminNetworkPolicy and BaselineAdminNetworkPolicy manifests (v1alpha1) and prints ClusterNetworkPolicy " +
        "manifests (v1alpha2) that mean the same. Give it every ClusterNetworkPolicy of the cluster too: one whose priority " +
        "has to change is printed with the new one. With the Namespaces, Pods and Nodes of a cluster among the manifests it " +
        "compares the verdicts of both on connections between them. Standard error says what was changed, what needs the " +
        "experimental definition of ClusterNetworkPolicy, and what was compared.",
    );
  const given = declareFlags(command, "migrate");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Exit codes: 0 all migrated and no verdict changed, 1 something could not be migrated (nothing is printed) or a verdict " +
        "changed, 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate migrate -f policies/ > cluster-network-policies.yaml\n" +
        "  kubectl get anp,banp,cnp,ns,pods,nodes -A -o yaml > cluster.yaml && northgate migrate -f cluster.yaml\n",
    )
    .action(() => {
      process.exitCode = migrateFiles(readMigrateConfig(given()));
    });
}

function migrateFiles(config: MigrateConfig): number {
  const loaded = loadManifests(config.paths, policies, references, foreignAmong(policies), { labels: true });
  for (const line of ignoredLines({ ...loaded, leftOut: nothingLeftOut })) say(line);
  for (const problem of loaded.problems) say(formatSourceProblem(problem));
  for (const line of notReadLines(notReadOf(loaded.kept, [], policies))) say(`warning: ${line}`);
  const unread = loaded.problems.some(({ problem }) => problem.severity === "error");
  const { policies: migrated, findings, comparison } = migrateAll(loaded.objects, dialects);
  for (const finding of findings) say(formatted(finding, loaded));
  if (unread || comparison === null) {
    say("nothing is printed: a policy that is left out would change the verdict of others");
    return 1;
  }
  if (migrated.length > 0) say("comments in the manifests are not carried over");
  for (const line of told(comparison)) say(line);
  process.stdout.write(print(migrated, config.output));
  return comparison.differing > 0 ? 1 : 0;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A change is no warning: it keeps what the policy means. */
function formatted(finding: Finding, { placeOf }: LoadedManifests): string {
  const { object, problem } = finding;
  const place = placeOf(keyOf(object), problem.field) ?? "";
  if (isError(finding)) return formatSourceProblem({ place, object: refText(object), problem });
  return printable([place, refText(object), problem.field, problem.message].filter(Boolean).join(": "), 1000);
}

function told({ pods, unread, differing, examples }: Comparison): readonly string[] {
  if (pods === 0)
    return ["no pod with an address is among the manifests: there was nothing to compare the verdicts on"];
  const part =
    unread === null
      ? ""
      : `, but of pods whose Namespace is not among the manifests ${unread.compared} of ${unread.possible}`;
  const on = `compared all connections of ${pods} pods${part}`;
  if (differing === 0) return [`${on}: no verdict changed`];
  const classes = differing === 1 ? "1 class" : `${differing} classes`;
  return [`${on}: verdicts changed in ${classes} of connections, for example`, ...examples.map(reportOf)];
}

function reportOf({ connection, before, after }: Difference): string {
  const { from, to, protocol, port } = connection;
  const verdicts = `${[...before].join(" or ")} before, ${[...after].join(" or ")} after`;
  return printable(
    `  ${shown(from)} to ${shown(to)}, ${protocol}${portOf({ protocol, port })}: ${verdicts}`,
    1000,
  );
}

function shown({ ip, pod }: End): string {
  return pod === null ? ip : `${ip} (${pod.namespace}/${pod.name})`;
}

function portOf({ protocol, port }: Pick<Connection, "protocol" | "port">): string {
  return protocol === "icmp" ? "" : ` ${port}`;
}

function print(migrated: readonly PolicyObject[], format: MigrateConfig["output"]): string {
  const items = migrated.map(manifestOf);
  if (format === "json") return `${JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2)}\n`;
  // The same object in several places is written each time: an alias of YAML is not for people.
  const settings = { lineWidth: 0, aliasDuplicateObjects: false };
  return items.map((item) => toYaml(item, settings)).join("---\n");
}

function manifestOf(object: PolicyObject): unknown {
  const { apiVersion, kind, name, annotations, spec } = object;
  const labels = isReferenced(object) ? object.labels : new Map<string, string>();
  const metadata = {
    name,
    ...(labels.size === 0 ? {} : { labels: Object.fromEntries(labels) }),
    ...(annotations.size === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
  };
  return { apiVersion, kind, metadata, spec };
}
