// `northgate completion`: a script that completes commands, flags and values in a shell, made from the same table as the
// flags themselves. Commands, flags and choices are in its text; names of a world are asked of the program (complete.ts).

import type { Command } from "commander";
import { Argument } from "commander";
import { isCommandName } from "../../config/setting.ts";
import { settingsOf } from "../../config/settings.ts";
import { addComplete } from "./complete.ts";
import type { CompletedCommand, CompletedFlag } from "./completion-scripts.ts";
import { bashScript, completeWord, fishScript, zshScript } from "./completion-scripts.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof scripts;

export function addCompletion(program: Command): void {
  program
    .command("completion")
    .summary("print a script that completes commands, flags and values in bash, zsh or fish")
    .description(
      "Prints a script for a shell. With it, the tab key completes commands, flags, the values of flags that allow a few, " +
        "names of files, and names of what is in the world that the line names: in manifests (-f), or in the cluster of the " +
        "kubeconfig, which is asked for a second at most.",
    )
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices(Object.keys(scripts)))
    .addHelpText(
      "after",
      "\nExit codes: 0 printed, 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  source <(northgate completion bash)      # this shell; for every shell, in ~/.bashrc\n" +
        '  northgate completion zsh > "${fpath[1]}/_northgate"\n' +
        "  northgate completion fish > ~/.config/fish/completions/northgate.fish\n",
    )
    .action((shell: Shell) => {
      process.stdout.write(scripts[shell](all()));
    });
  const all = (): readonly CompletedCommand[] =>
    program.commands.filter((one) => one.name() !== completeWord).map(completed);
  addComplete(program, all);
}

const ofEvery: readonly CompletedFlag[] = [
  { long: "config", short: null, help: "YAML with settings", takes: "file" },
  { long: "help", short: "h", help: "display help for command", takes: "nothing" },
];

/** Placeholders of values that are paths. */
const paths = ["FILE", "PATH", "DIR"];
/** Of values that are names in a world. */
const names = ["END", "NAMESPACE", "NODE", "CONTEXT"];

function takenBy(argument: string): CompletedFlag["takes"] {
  if (names.includes(argument)) return "names";
  return paths.includes(argument) ? "file" : "text";
}

function completed(command: Command): CompletedCommand {
  const name = command.name();
  const flags = !isCommandName(name)
    ? ofEvery.filter(({ long }) => long === "help")
    : [
        ...settingsOf(name).map(({ flag, short, help, argument, choices }): CompletedFlag => {
          const takes = argument === null ? "nothing" : (choices ?? takenBy(argument));
          return { long: flag, short: short ?? null, help, takes };
        }),
        ...ofEvery,
      ];
  const operands = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return { name, summary: command.summary(), flags, operands, namesBehind: name === "get" ? "pod" : null };
}
