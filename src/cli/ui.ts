// `northgate ui`: the read-only page over manifests or a cluster that are followed while it is open. Ends on
// SIGINT or SIGTERM. Writes nothing anywhere but its address, on standard output, and with --export the file.

import type { Command } from "commander";
import type { UiConfig } from "../config/ui.ts";
import { readUiConfig } from "../config/ui.ts";
import { createLogger } from "../log.ts";
import { systemClock } from "../lib/clock.ts";
import { PageThread } from "../wiring/page/page-thread.ts";
import { printError } from "./print/print-error.ts";
import { askedToEnd } from "./ends.ts";
import { exportUi } from "./page/ui-export.ts";
import { declareFlags, precedence } from "./flags.ts";

export function addUi(program: Command): void {
  const command = program
    .command("ui")
    .summary("show policies, who decides, and what an edit would change, as a page in the browser; read-only")
    .description(
      "Serves one page on this machine's loopback address: every policy by its tier, and which namespace may reach which; a page " +
        "for each policy and namespace; the policies that apply to a pod, tier by tier; a tester that says " +
        "whether a connection is allowed and which rule decides; with --plan-against the difference between two worlds; and " +
        "every policy in the order of evaluation. It follows the manifests (-f) or the cluster while it is open. It only reads. " +
        "On an address that other machines can reach it needs TLS and a token or client certificates. " +
        "With --export it serves nothing: it writes the order of evaluation, and the plan where there is one, into one HTML file " +
        "that a browser opens without a network.",
    );
  const given = declareFlags(command, "ui");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Exit codes: 0 ended by a signal or exported, 1 the objects cannot be read, the address is taken or the file cannot be written, 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate ui -f examples/cluster-control\n" +
        "  northgate ui -f edited/ --plan-against dir:examples/cluster-control\n" +
        "  northgate ui -f examples/cluster-control --names-file names.json\n" +
        "  northgate ui --source kube --listen 127.0.0.1:0\n" +
        "  northgate ui -f edited/ --plan-against dir:examples/cluster-control --export review.html\n",
    )
    .action(async () => {
      process.exitCode = await ui(readUiConfig(given()));
    });
}

async function ui(config: UiConfig): Promise<number> {
  const failing = Promise.withResolvers<never>();
  try {
    if (config.exportTo !== null) {
      await exportUi(config, config.exportTo);
      return 0;
    }
    const thread = await PageThread.open({
      start: {
        ...{ page: config.page, log: { level: "warn", format: "text" } },
        world: { kind: "followed", config },
      },
      ...{ clock: systemClock, logger: await createLogger("warn", "text") },
      ...{ begun: () => undefined, absorbed: () => undefined, failed: failing.reject },
    });
    process.stdout.write(`${thread.address}\n`);
    try {
      await Promise.race([askedToEnd(), failing.promise]);
    } finally {
      await thread.close();
    }
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printError(error.message);
    return 1;
  }
}
