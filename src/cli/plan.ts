// `northgate plan`: what would differ if the manifests were the cluster's: objects, rows, and the verdicts of connections.
// Writes nothing anywhere.

import type { Command } from "commander";
import type { PlanConfig, PlanFormat } from "../config/answers/plan.ts";
import { readPlanConfig } from "../config/answers/plan.ts";
import type { FlowsReport } from "../flows/report.ts";
import { flowsText } from "../flows/text.ts";
import { planGithub } from "../plan/output/github.ts";
import { planJunit } from "../plan/output/junit.ts";
import { planMarkdown } from "../plan/output/markdown.ts";
import type { PlanReport } from "../plan/report.ts";
import { planSarif } from "../plan/output/sarif.ts";
import { planText } from "../plan/output/text.ts";
import { version } from "../version.ts";
import { printError } from "./print/print-error.ts";
import { writeWhole } from "./print/written-file.ts";
import { formatData } from "./print/data.ts";
import { widthOf } from "./print/width.ts";
import { declareFlags, precedence } from "./flags.ts";
import { planAnswer, planFailed } from "./plan-answer.ts";

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
        "worlds are compared; where the manifests have no Pod, no Namespace, or none of another kind but policies, those of PATH " +
        "are used. Against nb:REMOTE or nb:file:PATH only rows are compared, and the manifests are the whole cluster.\n" +
        "With --flows, connections that northgate observe --record has seen are judged too, each before and after; --fail-on then asks " +
        "about these alone, and what the record does not have is no part of the answer.\n" +
        "With --staged, staged policies are in force in the new world, as if they were enforced.\n" +
        "Exit codes: 0 nothing differs, 2 rows or verdicts differ, 1 anything that keeps the answer from being whole, wrong usage " +
        "included. With --fail-on: 2 there is such a class, 1 also where a changed policy was not judged, 0 otherwise.\n\n" +
        "Examples:\n" +
        "  northgate plan -f policies/\n" +
        "  northgate plan -f new/ --against dir:old/ -o markdown > comment.md\n" +
        "  northgate plan -f new/ --against dir:old/ --report markdown=comment.md --report sarif=plan.sarif\n" +
        "  kubectl get anp,banp,cnp,ns,pods,nodes -A -o yaml > all.yaml && northgate plan -f all.yaml --against nb:unix:/var/run/ovn/ovnnb_db.sock\n" +
        "  northgate plan -f policies/ --flows flows.json --fail-on allow-to-deny\n" +
        "  northgate plan -f policies/ --prune --fail-on allow-to-deny --fail-on unknown\n",
    )
    .action(async () => {
      process.exitCode = await plan(readPlanConfig(given()));
    });
}

async function plan(config: PlanConfig): Promise<number> {
  try {
    const { report, flows, lines, code } = await planAnswer(config);
    for (const line of lines) process.stderr.write(`${line}\n`);
    process.stdout.write(printed(report, flows, config, config.output, widthOf(process.stdout)));
    for (const { format, path } of config.reports)
      writeWhole(path, printed(report, flows, config, format, null));
    return code;
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return planFailed;
  }
}

/** `width`: of a terminal; null: it is none. */
function printed(
  report: PlanReport,
  flows: FlowsReport | null,
  config: PlanConfig,
  format: PlanFormat,
  width: number | null,
): string {
  switch (format) {
    case "json":
    case "yaml":
      return formatData(flows === null ? report : { ...report, flows }, format);
    case "markdown":
      return planMarkdown(report, config);
    case "github":
      return planGithub(report, config, config);
    case "sarif":
      return planSarif(report, config, config, version());
    case "junit":
      return planJunit(report, config, config);
    case "table":
      return [
        ...(flows === null ? [] : [flowsText(flows, width), "\n"]),
        planText(report, config, width),
      ].join("");
  }
}
