// `northgate plan`: what would differ if the manifests were the cluster's: objects, rows, and the verdicts of connections.
// Writes nothing anywhere. Anything that keeps the answer from being whole is exit code 1, so that a script that looks for 0
// or 2 never takes half an answer for a whole one.

import type { Command } from "commander";
import type { PlanConfig } from "../config/plan.ts";
import { readPlanConfig } from "../config/plan.ts";
import { planMarkdown } from "../plan/markdown.ts";
import type { PlanReport, VerdictClass } from "../plan/report.ts";
import { planText } from "../plan/text.ts";
import { complain } from "./complain.ts";
import { formatData } from "./data.ts";
import { declareFlags, precedence } from "./flags.ts";
import { plannedWorlds } from "./plan-worlds.ts";
import { readStandingRows } from "./nb-rows.ts";
import { reportOf, rowsReportOf } from "./plan-report.ts";
import { progressOf } from "./progress.ts";
import { loadWorld } from "./world.ts";

const nothingDiffers = 0;
/** Of wrong usage too. */
export const planFailed = 1;
const somethingDiffers = 2;

export function addPlan(program: Command): void {
  const command = program
    .command("plan")
    .summary("say what an edit of policies would change: rows, and verdicts of connections")
    .description(
      "Compares manifests with the cluster, or with other manifests, and prints which objects and rows differ and for which " +
        "connections the verdict does, with the rules that decide before and after. Each connection whose verdict differs is " +
        "in exactly one of the classes that it prints, and no other is. Nothing is written anywhere.",
    );
  const given = declareFlags(command, "plan");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Against kube the manifests lie over the cluster's objects, as `kubectl apply` would lay them. Against dir:PATH two whole " +
        "worlds are compared; where the manifests have no Pod, Namespace or Node, those of PATH are used. Against nb:REMOTE or " +
        "nb:file:PATH only rows are compared, and the manifests are the whole cluster.\n" +
        "Exit codes: 0 nothing differs, 2 rows or verdicts differ (with --fail-on: there is such a class), 1 anything that keeps " +
        "the answer from being whole, wrong usage included.\n\n" +
        "Examples:\n" +
        "  northgate plan -f policies/\n" +
        "  northgate plan -f new/ --against dir:old/ -o markdown > comment.md\n" +
        "  kubectl get anp,banp,cnp,ns,pods,nodes -A -o yaml > all.yaml && northgate plan -f all.yaml --against nb:unix:/var/run/ovn/ovnnb_db.sock\n" +
        "  northgate plan -f policies/ --prune --fail-on allow-to-deny --fail-on unknown\n",
    )
    .action(async () => {
      process.exitCode = await plan(readPlanConfig(given()));
    });
}

async function plan(config: PlanConfig): Promise<number> {
  try {
    const { report, lines, refused } = await planned(config);
    for (const line of lines) process.stderr.write(`${line}\n`);
    process.stdout.write(printed(report, config.output));
    return refused ? planFailed : exitCodeOf(report, config.failOn);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return planFailed;
  }
}

interface Planned {
  readonly report: PlanReport;
  /** For standard error. */
  readonly lines: readonly string[];
  readonly refused: boolean;
}

async function planned(config: PlanConfig): Promise<Planned> {
  const { against, paths } = config;
  if (against.kind !== "rows") {
    const progress = progressOf("kinds of ends are compared");
    const worlds = await plannedWorlds(config, against);
    return { ...worlds, report: reportOf(worlds.worlds, config, progress) };
  }
  const world = await loadWorld({ kind: "files", paths }, config);
  const standing = await readStandingRows(against.rows.nb, against.rows);
  return { ...world, report: rowsReportOf(standing, world, config) };
}

function exitCodeOf({ rows, verdicts }: PlanReport, failOn: PlanConfig["failOn"]): number {
  const differs =
    failOn.length === 0
      ? rows.changes.length > 0 || verdicts.changes.length > 0
      : verdicts.changes.some((one) => failOn.some((failure) => isFailure(failure, one)));
  return differs ? somethingDiffers : nothingDiffers;
}

function isFailure(failure: PlanConfig["failOn"][number], { old, new: next }: VerdictClass): boolean {
  switch (failure) {
    case "allow-to-deny":
      return old === "allow" && next === "deny";
    case "deny-to-allow":
      return old === "deny" && next === "allow";
    case "unknown":
      return next === "unknown";
  }
}

function printed(report: PlanReport, format: PlanConfig["output"]): string {
  switch (format) {
    case "json":
    case "yaml":
      return formatData(report, format);
    case "markdown":
      return planMarkdown(report);
    case "table":
      return planText(report);
  }
}
