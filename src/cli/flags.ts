// A command's flags on the command line: declares, shows and reads them by the table of settings, and `--config` with
// them. Knows only that flag by name; config.ts gives the values their meaning.

import type { Command } from "commander";
import { cniFlag } from "../cni/answers.ts";
import { projectFlags } from "../config/sources/project.ts";
import type { CommandName, Setting } from "../config/setting.ts";
import { settingsOf } from "../config/settings.ts";
import type { ConfigInput } from "../config/values.ts";

/** For a command's help: the precedence of flag, environment, file and default. */
export const precedence =
  "A flag beats its environment variable (NORTHGATE_NB for --nb), which beats the config file.\n";

/** Returns a function that gives the flags' values once the command has been parsed. */
export function declareFlags(command: Command, name: CommandName): () => ConfigInput {
  command.option("--config <file>", "YAML with the settings below, by their names without dashes");
  for (const setting of settingsOf(name)) {
    const { flag, short, argument, isList } = setting;
    const words = [short === undefined ? `--${flag}` : `-${short}, --${flag}`, argument && `<${argument}>`];
    const declared = words.filter((word) => word !== null).join(" ");
    if (isList === true) command.option(declared, helpOf(setting), collect);
    else command.option(declared, helpOf(setting));
  }
  const takesProject = settingsOf(name).some(({ flag }) => flag === cniFlag);
  return () => ({
    ...{ flags: given(command), environment: process.env },
    ...(takesProject ? { project: projectFlags(process.cwd()) } : {}),
  });
}

function helpOf({ help, argument, fallback }: Setting): string {
  return argument === null || fallback === null || fallback === "" ? help : `${help} (default: ${fallback})`;
}

function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

function given(command: Command): ConfigInput["flags"] {
  const values: Readonly<Record<string, unknown>> = command.opts();
  const flags: Record<string, readonly string[]> = {};
  for (const option of command.options) {
    if (option.long === undefined) continue;
    flags[option.long.slice(2)] = textsOf(values[option.attributeName()], option.negate);
  }
  return flags;
}

/** Commander stores a switch that begins with `no-` inverted. */
function textsOf(value: unknown, negate: boolean): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === "string") return [value];
  return value === !negate ? ["true"] : [];
}
