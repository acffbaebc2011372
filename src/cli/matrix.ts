// `northgate matrix`: namespaces against namespaces, or the workloads of one, and what of the traffic between them all, some or none
// of the connections may have. Only reads.

import type { Command } from "commander";
import type { MatrixConfig } from "../config/answers/can.ts";
import { readMatrixConfig } from "../config/answers/can.ts";
import { UsageError } from "../config/values.ts";
import { matrixCsv, matrixDot } from "../matrix/forms.ts";
import { matrix, matrixDiff } from "../matrix/matrix.ts";
import { matrixHtml, matrixSvg } from "../matrix/pictures.ts";
import type { MatrixReport } from "../matrix/report.ts";
import { matrixText } from "../matrix/text.ts";
import { askedWorldOf, askedWorldsOf } from "./worlds/asked-world.ts";
import { declareFlags, precedence } from "./flags.ts";
import { formatData } from "./print/data.ts";
import { printError } from "./print/print-error.ts";
import { widthOf } from "./print/width.ts";

export function addMatrix(program: Command): void {
  const command = program
    .command("matrix")
    .summary("show which namespaces can reach which, by protocol and port; needs no database")
    .description(
      "Shows namespaces against namespaces, or with --namespace the workloads of one against each other, the other namespaces " +
        "and everything outside: whether all connections are allowed, some, none, or whether that is unknown, by protocol and " +
        "port. With --diff it shows only the cells that differ from older manifests. It reads manifests (-f), or the objects of " +
        "the cluster.",
    );
  const given = declareFlags(command, "matrix");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "csv is for spreadsheets, dot for Graphviz, svg is a picture, html one page that opens from disk.\n" +
        "A workload without pods is an end of its namespace; its pods may have any address.\n" +
        "Where the manifests of -f have no Pod, no Namespace or no Node, those of --diff are used.\n" +
        "Exit codes: 0 answered, 1 there is no such namespace, or something could not be read, 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate matrix\n" +
        "  northgate matrix -f examples/cluster-control --port 443\n" +
        "  northgate matrix -n shop -o html > shop.html\n" +
        "  northgate matrix -f new/ --diff old/\n" +
        "  northgate matrix -k overlays/prod --diff kustomize:../main/overlays/prod\n",
    )
    .action(async () => {
      process.exitCode = await answer(readMatrixConfig(given()));
    });
}

async function answer(config: MatrixConfig): Promise<number> {
  try {
    const { report, refused } = await reported(config);
    process.stdout.write(printed(report, config.output));
    return refused ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    printError(error.message);
    return 1;
  }
}

interface Reported {
  readonly report: MatrixReport;
  readonly refused: boolean;
}

async function reported({ world, question, diff, serviceNetworks }: MatrixConfig): Promise<Reported> {
  if (diff === null) {
    const { asked, refused } = await askedWorldOf(world, serviceNetworks);
    return { report: matrix(asked, question), refused };
  }
  const { old, new: next, refused } = await askedWorldsOf(world, diff.source, serviceNetworks);
  return { report: matrixDiff(matrix(old, question), matrix(next, question), diff.text), refused };
}

function printed(report: MatrixReport, format: MatrixConfig["output"]): string {
  switch (format) {
    case "table":
      return matrixText(report, widthOf(process.stdout));
    case "json":
    case "yaml":
      return formatData(report, format);
    case "csv":
      return matrixCsv(report);
    case "dot":
      return matrixDot(report);
    case "svg":
      return matrixSvg(report);
    case "html":
      return matrixHtml(report);
  }
}
