// `northgate get`: all policies of all kinds in the order of evaluation, their rules, or the rules that apply to one pod. Only
// reads; counts the rows that `run` would write, or with --nb those that exist.

import type { Command } from "commander";
import { Argument } from "commander";
import type { ExistingRows } from "../backend-kind.ts";
import type { GetConfig } from "../config/answers/questions.ts";
import { readGetConfig } from "../config/answers/questions.ts";
import { UsageError } from "../config/values.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { podWithHits, rulesWithHits } from "../explain/with-hits.ts";
import { listNames } from "../explain/names.ts";
import type { ListedPolicy, ListedRule } from "../explain/overview.ts";
import { listPolicies, listRules, podOverview } from "../explain/overview.ts";
import { serviceKind } from "../model/service.ts";
import { hitsAsked } from "../hits/files.ts";
import type { Hits } from "../hits/hits.ts";
import type { Ref } from "../analysis/ref.ts";
import { namesFlag } from "../policy/contracts/names.ts";
import { policyKey } from "../policy/ir.ts";
import { printError } from "./print/print-error.ts";
import { formatData } from "./print/data.ts";
import { declareFlags, precedence } from "./flags.ts";
import type { CountedPolicy } from "./print/get-table.ts";
import { formatNames, formatPod, formatPolicies, formatRules } from "./print/get-table.ts";
import { askedOf, counter } from "./worlds/counted.ts";
import { readExistingOrPrintError } from "./worlds/existing-rows.ts";
import { sayMany } from "./print/progress.ts";
import { widthOf } from "./print/width.ts";
import { recordedAtOf } from "../worlds/names-file.ts";
import type { LoadedWorld } from "../worlds/world.ts";
import { loadWorld } from "../worlds/world.ts";

const subjects = ["policies", "rules", "pod", "names"] as const;
type Subject = (typeof subjects)[number];

export function addGet(program: Command): void {
  const command = program
    .command("get")
    .summary("list policies or rules in the order in which they are evaluated; needs no database")
    .description(
      "Lists the policies of every kind in the order in which they are evaluated, with the pods that they apply to, their " +
        "rules, their rows (port groups + address sets + ACLs; none with --cni) and whether they are in force; or the rules of all of them; or " +
        "the rules that apply to one pod. It reads manifests (-f), or the objects of the cluster. With --nb the rows are " +
        "those that stand in the database, and a policy whose rows are others is told. names lists the names of domains that " +
        "policies allow, with the addresses that the rows of --nb have for them, or those of --names-file. With --hits, rules " +
        "have the number of packets that met them, and since when they are counted.",
    )
    .addArgument(
      new Argument("[what]", "policies, rules, pod or names").choices(subjects).default("policies"),
    )
    .argument("[pod]", "with pod: NAMESPACE/NAME");
  const given = declareFlags(command, "get");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Exit codes: 0 all listed, 1 something could not be read or is refused, or there is no such pod, 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate get\n" +
        "  northgate get -f examples/cluster-control --sort-by subjects\n" +
        "  northgate get pod kube-system/coredns-0 -o json\n" +
        "  northgate get names --names poll --nb tcp:127.0.0.1:6641 -o json > names.json\n",
    )
    .action(async (what: Subject, pod: string | undefined) => {
      const config = readGetConfig(given());
      if ((what === "pod") !== (pod !== undefined))
        throw new UsageError(
          what === "pod" ? "get pod: NAMESPACE/NAME is needed" : `get ${what}: takes no name`,
        );
      if (what === "names") refuseNames(config);
      if (config.hits.length > 0 && what !== "rules" && what !== "pod")
        throw new UsageError(`get ${what}: --hits needs get rules or get pod`);
      process.exitCode = await get(what, pod ?? "", config);
    });
}

async function get(what: Subject, pod: string, config: GetConfig): Promise<number> {
  try {
    const { source, ...mode } = config.world;
    const hits = hitsAsked(config.hits);
    // Manifests with Services among them are explain's, too.
    const world = await loadWorld(source, { ...mode, alsoRead: [serviceKind], many: sayMany });
    for (const line of world.lines) process.stderr.write(`${line}\n`);
    const asked = askedOf(world, mode.families);
    const rows = config.rows === null ? null : await readExistingOrPrintError(mode, config.rows);
    process.stdout.write(textOf(what, pod, { asked, world, config, rows, hits }));
    return world.refused || (config.rows !== null && rows === null) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    printError(error.message);
    return 1;
  }
}

/** Without the flag, no policy has a name. */
function refuseNames({ world: { kinds, namesFile = null }, rows }: GetConfig): void {
  if ((kinds[namesFlag] ?? "off") === "off")
    throw new UsageError(`get names: --${namesFlag} is needed, as run has it, or --names-file`);
  if (namesFile !== null && rows !== null)
    throw new UsageError("--names-file and --nb: get names lists the addresses of one of them");
}

interface Listing {
  readonly asked: AskedWorld;
  readonly world: LoadedWorld;
  readonly config: GetConfig;
  /** The existing rows; null: they are not read. */
  readonly rows: ExistingRows | null;
  /** null: not asked. */
  readonly hits: Hits | null;
}

function counting({ world, config, rows }: Listing): (one: ListedPolicy) => CountedPolicy {
  return counter(world, config.world.backend, rows);
}

function textOf(what: Subject, pod: string, listing: Listing): string {
  const { asked, world, config, hits } = listing;
  const { output, sortBy } = config;
  const width = widthOf(process.stdout);
  if (what === "pod") return podText(pod, listing);
  if (what === "names") return namesText(listing, width);
  const policies = listPolicies(asked, world.judged.membership);
  if (what === "rules") {
    const counts = new Map(policies.map((one) => [policyKey(one.policy), subjectsIn(one)]));
    const listed = sorted(listRules(asked), sortBy, ({ policy }) => counts.get(policyKey(policy)) ?? 0);
    const rules = hits === null ? listed : rulesWithHits(hits, listed, "ingress");
    return isTable(output) ? formatRules(rules, width) : formatData(rules, output);
  }
  const list = sorted(policies.map(counting(listing)), sortBy, subjectsIn);
  return isTable(output)
    ? formatPolicies(list, width, { isWide: output === "wide", hasRows: world.cni === null })
    : formatData(list, output);
}

function namesText({ asked, config, rows }: Listing, width: number | null): string {
  const { output, world } = config;
  const names = listNames(asked, rows && ((group) => rows.heldAddresses(group)));
  if (isTable(output)) return formatNames(names, width);
  const recordedAt = recordedAtOf(world) ?? new Date().toISOString();
  // What is not known is no record: a command that reads it leaves the name open.
  return formatData({ recordedAt, names: names.filter(({ isKnown }) => isKnown) }, output);
}

/** Pods, and workloads that stand for others. */
function subjectsIn({ subjects: pods, workloads }: Pick<ListedPolicy, "subjects" | "workloads">): number {
  return (pods ?? 0) + (workloads ?? 0);
}

function podText(name: string, { asked, hits, config: { output } }: Listing): string {
  const found = podOverview(asked, name);
  const told = hits === null ? found : podWithHits(hits, found);
  return isTable(output) ? formatPod(told, widthOf(process.stdout)) : formatData(told, output);
}

function isTable(output: GetConfig["output"]): output is "table" | "wide" {
  return output === "table" || output === "wide";
}

/** What is equal stays in the order of evaluation. */
function sorted<T extends ListedPolicy | ListedRule>(
  list: readonly T[],
  by: GetConfig["sortBy"],
  subjectsOf: (one: T) => number,
): readonly T[] {
  const name = ({ policy: { kind, namespace, name: own } }: { policy: Ref }) =>
    [own, namespace ?? "", kind].join(" ");
  if (by === "subjects") return list.toSorted((a, b) => subjectsOf(b) - subjectsOf(a));
  return by === "name" ? list.toSorted((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0)) : list;
}
