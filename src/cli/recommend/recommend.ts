// `northgate recommend`: NetworkPolicies that allow what a record of connections has, and nothing else. Prints them; applies nothing.

import type { Command } from "commander";
import type { RecommendConfig } from "../../config/answers/recommend.ts";
import { readRecommendConfig } from "../../config/answers/recommend.ts";
import { UsageError } from "../../config/values.ts";
import type { RecommendReport } from "../../recommend/report.ts";
import { commentsOf, proofLine, recommendText } from "../../recommend/text.ts";
import { declareFlags, precedence } from "../flags.ts";
import { formatData } from "../print/data.ts";
import { printError } from "../print/print-error.ts";
import { widthOf } from "../print/width.ts";
import { manifestsText, recommendAnswer } from "./recommend-answer.ts";

export function addRecommend(program: Command): void {
  const command = program
    .command("recommend")
    .summary("print NetworkPolicies that allow the connections of a record, and nothing else")
    .description(
      "Reads a record of connections (northgate observe --record) and the cluster, and prints NetworkPolicies that allow what was " +
        "seen: one for each workload with connections, by the labels of its pods, and one for each namespace that denies all else " +
        "there. Nothing is applied, and policies that exist stay. Comments say how much of the record the policies cover, what is " +
        "left out and why, and what a record cannot have seen. Then each recorded connection is evaluated without and with " +
        "the policies, as plan --flows does: none may change.",
    );
  const given = declareFlags(command, "recommend");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "A connection is allowed only where the policies of today allow it, too. Record as long as the rarest connection needs: what is " +
        "not in the record is denied.\n" +
        "Exit codes: 0 no recorded connection changes, 1 one does or could not be evaluated, or something could not be read, 2 wrong " +
        "usage.\n\n" +
        "Examples:\n" +
        "  northgate recommend --flows flows.json -n shop > shop.yaml\n" +
        "  northgate recommend -f cluster.yaml --flows flows.json -o table\n" +
        "  northgate recommend --flows flows.json -n shop > shop.yaml && northgate plan -f shop.yaml --flows flows.json\n",
    )
    .action(async () => {
      process.exitCode = await answer(readRecommendConfig(given()));
    });
}

async function answer(config: RecommendConfig): Promise<number> {
  try {
    const { report, lines, code } = await recommendAnswer(config);
    for (const line of lines) process.stderr.write(`${line}\n`);
    process.stdout.write(printed(report, config.output));
    process.stderr.write(`northgate: ${proofLine(report.proof)}\n`);
    return code;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    printError(error.message);
    return 1;
  }
}

function printed(report: RecommendReport, format: RecommendConfig["output"]): string {
  switch (format) {
    case "yaml":
      return commentsOf(report) + manifestsText(report.policies);
    case "json":
      return formatData(report, "json");
    case "table":
      return recommendText(report, widthOf(process.stdout));
  }
}
