// `northgate can`: who can reach this, what can this reach, who can reach what? Groups of pods and addresses that the same rules
// decide, never one line for each pod. Only reads.

import type { Command } from "commander";
import { Argument } from "commander";
import { can } from "../can/can.ts";
import type { CanReport } from "../can/report.ts";
import type { CanConfig } from "../config/answers/can.ts";
import { readCanConfig } from "../config/answers/can.ts";
import { foldedText } from "../lib/folded.ts";
import { UsageError } from "../config/values.ts";
import { endsHelp } from "./shell/ends-help.ts";
import { declareFlags, precedence } from "./flags.ts";
import { askedWorldOf } from "./worlds/asked-world.ts";
import { formatCan } from "./print/can-table.ts";
import { showsColours } from "./print/colours.ts";
import { formatData } from "./print/data.ts";
import { printError } from "./print/print-error.ts";
import { widthOf } from "./print/width.ts";
import { watchAnswers } from "./watch.ts";

export function addCan(program: Command): void {
  const command = program
    .command("can")
    .summary("list who can reach an end, or what an end can reach, by workload; needs no database")
    .description(
      "Lists who can reach a pod, a workload, a Service, a set of pods, an address or a network (--to), what one can reach " +
        "(--from), or who can reach what (--all). Pods that the same rules decide alike are one group, which is counted by workload, with the deciding rule of both sides; " +
        "addresses that no pod has are listed as networks. What is allowed comes first, then what cannot be told and why, then " +
        "what is denied. It reads manifests (-f), or the objects of the cluster.",
    )
    .addArgument(
      new Argument("[reach]", "the word that makes it a sentence").choices(["reach"]).default("reach"),
    );
  const given = declareFlags(command, "can");
  command
    .addHelpText(
      "after",
      `\n${endsHelp}\n${precedence}` +
        "With --from and --to, only the connections between the two. Without --port, every port, with ranges.\n" +
        "Of a set of ends, it says first which of the others reach all of it, some or none.\n" +
        "Exit codes: 0 answered, or --watch was ended by a signal; 1 there is no such end, or something could not be read; 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate can reach --to shop/db-0 --port 5432\n" +
        "  northgate can reach --to kube-system/coredns-0 --port 53 --protocol udp -f examples/cluster-control\n" +
        "  northgate can reach --from shop/web-0             # every port of everything that it can reach\n" +
        "  northgate can reach --from internet --to 10.244.0.0/16\n" +
        "  northgate can reach --to shop/svc/db:5432          # the pods behind a Service, at their own ports\n" +
        "  northgate can reach --to 'shop/*' --port http      # all pods and workloads of a namespace\n" +
        "  northgate can reach --to shop/db-0 --port 5432 --watch   # until Ctrl-C\n" +
        "  northgate can reach --all --port 443 -o json\n",
    )
    .action(async () => {
      process.exitCode = await answer(readCanConfig(given()));
    });
}

async function answer(config: CanConfig): Promise<number> {
  try {
    if (config.watch)
      return await watchAnswers(config, (asked) => {
        const report = can(asked, config.question);
        return { data: report, text: textOf(report) };
      });
    const { asked, refused } = await askedWorldOf(config.world, config.serviceNetworks, config.namespace);
    const report = can(asked, config.question);
    process.stdout.write(config.output === "table" ? textOf(report) : formatData(report, config.output));
    return refused ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    printError(error.message);
    return 1;
  }
}

function textOf(report: CanReport): string {
  return foldedText(formatCan(report, { colours: showsColours() }), widthOf(process.stdout));
}
