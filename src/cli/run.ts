// `northgate run`: flags, environment and file to a Config, then the controller until a signal ends it.

import type { Command } from "commander";
import { readRunConfig } from "../config/config.ts";
import { installed } from "../dialects.ts";
import type { ConfigInput } from "../config/values.ts";
import { declareFlags, precedence } from "./flags.ts";
import { lastingCommand } from "./lasting.ts";

export function addRun(program: Command): void {
  const command = program
    .command("run")
    .summary("keep the Northbound database saying what the policies say")
    .description(
      "Follows policies, namespaces, pods and nodes, and keeps the Port_Group, Address_Set and ACL rows of the OVN " +
        "Northbound database as they want them. Touches no row that is not its own. Ends on SIGINT or SIGTERM; the rows stay.",
    );
  const given = declareFlags(command, "run");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Exit codes: 0 ended by a signal, 1 could not start, 2 wrong usage, 70 a bug of Northgate's, 78 the database has " +
        "rows of another zone.\n\n" +
        "Example:\n" +
        "  northgate run --source dir:./policies --nb unix:/var/run/ovn/ovnnb_db.sock\n",
    )
    .action(() => run(given()));
}

/** The controller is loaded here: no other command needs it. */
async function run(given: ConfigInput): Promise<void> {
  const config = readRunConfig(given);
  process.exitCode = await lastingCommand(async (fatal) => {
    if (installed(config.kinds).policies.length === 0)
      return (await import("../wiring/disabled.ts")).runDisabled(config);
    return (await import("../wiring/assemble.ts")).assemble(config, fatal);
  });
}
