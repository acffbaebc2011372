// `northgate run`: flags, environment and file to a Config, then the controller until a signal ends it.

import type { Command } from "commander";
import { assemble } from "../wiring/assemble.ts";
import { runDisabled } from "../wiring/disabled.ts";
import { readRunConfig } from "../config/config.ts";
import { runSettings } from "../config/settings.ts";

export function addRun(program: Command): void {
  const command = program
    .command("run")
    .summary("keep the Northbound database saying what the policies say")
    .description(
      "Follows policies, namespaces, pods and nodes, and keeps the Port_Group, Address_Set and ACL rows of the OVN " +
        "Northbound database as they want them. Touches no row that is not its own. Ends on SIGINT or SIGTERM; the rows stay.",
    )
    .option("--config <file>", "YAML with the settings below, by their names without dashes");
  for (const { flag, argument, help, fallback } of runSettings) {
    const standard = fallback === null || fallback === "" ? "" : ` (default: ${fallback})`;
    command.option(`--${flag} <${argument}>`, `${help}${standard}`);
  }
  command
    .addHelpText(
      "after",
      "\nA flag beats its environment variable (NORTHGATE_NB for --nb), which beats the config file.\n" +
        "Exit codes: 0 ended by a signal, 1 could not start, 2 wrong usage, 70 a bug of Northgate's.\n\n" +
        "Example:\n" +
        "  northgate run --source dir:./policies --nb unix:/var/run/ovn/ovnnb_db.sock\n",
    )
    .action(async (_: unknown, { opts }: { opts: () => unknown }) => {
      await run(flagsOf(command, opts.call(command) as Readonly<Record<string, string>>));
    });
}

function flagsOf(command: Command, options: Readonly<Record<string, string>>) {
  const flags: Record<string, string | undefined> = {};
  for (const option of command.options) {
    if (option.long !== undefined) flags[option.long.slice(2)] = options[option.attributeName()];
  }
  return flags;
}

async function run(flags: Readonly<Record<string, string | undefined>>): Promise<void> {
  const config = readRunConfig({ flags, environment: process.env, file: flags["config"] ?? null });
  const ended = new Promise<{ reason: string; exitCode: number }>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        resolve({ reason: signal, exitCode: 0 });
      });
    }
    const fatal = (error: unknown): void => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(
        `northgate: this is a bug of Northgate's; it ends so as not to do harm\n${text}\n`,
      );
      resolve({ reason: "a bug", exitCode: 70 });
    };
    (config.enabled ? assemble(config, fatal) : runDisabled(config)).then(
      (controller) => {
        void ended.then(() => controller.stop());
      },
      (error: unknown) => {
        process.stderr.write(`northgate: ${error instanceof Error ? error.message : String(error)}\n`);
        resolve({ reason: "could not start", exitCode: 1 });
      },
    );
  });
  process.exitCode = (await ended).exitCode;
}
