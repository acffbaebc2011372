// `northgate man [COMMAND]`: prints a man page, for people whose system does not find those beside the program.

import type { Command } from "commander";
import { Argument } from "commander";
import { commandsOf, manPage } from "./man-pages.ts";

const name = "man";

/** Behind all other commands, which it names. */
export function addMan(program: Command): void {
  const names = [...commandsOf(program).map((one) => one.name()), name];
  program
    .command(name)
    .summary("print the man page of the program or of a command")
    .description(
      "Prints the man page of northgate, or of one of its commands, as roff, which man and groff read. The package of npm has the " +
        "same pages for man to find.",
    )
    .addArgument(new Argument("[command]", "one of the commands; the program unless given").choices(names))
    .addHelpText(
      "after",
      "\nExit codes: 0 printed, 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate man | man -l -\n" +
        "  northgate man explain | man -l -\n" +
        "  northgate man can > northgate-can.1\n",
    )
    .action((command?: string) => {
      process.stdout.write(manPage(program, command ?? null));
    });
}
