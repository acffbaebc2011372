// The man pages as roff, which the build writes into files and `northgate man` prints: northgate(1), and one for each command. Descriptions, flags and the texts behind them are those of --help;
// environment variables are those of the table of settings.

import type { Command, Option } from "commander";
import { isCommandName, variableOf } from "../../config/setting.ts";
import { settingsOf } from "../../config/settings.ts";
import { invariant } from "../../lib/invariant.ts";
import { version } from "../../version.ts";

export interface ManPage {
  /** Of the file: `northgate-explain.1`. */
  readonly name: string;
  readonly text: string;
}

/** The pages of the program and of its commands; the program is not for parsing any more. */
export function manPages(program: Command): readonly ManPage[] {
  const commands = commandsOf(program);
  return [
    { name: "northgate.1", text: pageOf(program, commands) },
    ...commands.map((one) => ({ name: `northgate-${one.name()}.1`, text: pageOf(one, []) })),
  ];
}

/** The page of the command of that name; null: of the program. */
export function manPage(program: Command, name: string | null): string {
  const commands = commandsOf(program);
  const command = commands.find((one) => one.name() === name);
  invariant(name === null || command !== undefined, `no command is named ${name}`);
  return command === undefined ? pageOf(program, commands) : pageOf(command, []);
}

/** Those that --help lists. */
export function commandsOf(program: Command): readonly Command[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((one) => one.name() !== "help");
}

function pageOf(command: Command, commands: readonly Command[]): string {
  const title = [command.parent?.name(), command.name()].filter((name) => name !== undefined).join("-");
  const help = command.createHelp();
  const { description, summary } = { description: command.description(), summary: command.summary() };
  const lines = [
    '.\\" Made from the help and the settings.',
    `.TH ${title.toUpperCase().replaceAll("-", "\\-")} 1 "" "Northgate ${version()}" "Northgate"`,
    ".SH NAME",
    `${roff(title)} \\- ${roff(summary === "" ? description : summary)}`,
    ".SH SYNOPSIS",
    `.B ${roff(help.commandUsage(command))}`,
    ".SH DESCRIPTION",
    text(description),
    ...(commands.length === 0 ? [] : [".SH COMMANDS", ...commands.flatMap(itemOfCommand)]),
    ".SH OPTIONS",
    ...help.visibleOptions(command).flatMap((option) => itemOf(option, command)),
    ...sectionsOf(textBehind(command)),
    ".SH SEE ALSO",
    command.parent === null
      ? commands.map((one) => `.BR ${roff(`northgate-${one.name()}`)} (1)`).join(",\n")
      : ".BR northgate (1)",
  ];
  return `${lines.join("\n")}\n`;
}

function itemOfCommand(command: Command): readonly string[] {
  return [".TP", `.BR ${roff(`northgate-${command.name()}`)} (1)`, text(command.summary())];
}

function itemOf(option: Option, command: Command): readonly string[] {
  const name = command.name();
  const setting = isCommandName(name)
    ? settingsOf(name).find(({ flag }) => `--${flag}` === option.long)
    : undefined;
  const variable =
    setting === undefined || setting.onLineOnly === true
      ? []
      : [".br", `Environment: ${roff(variableOf(setting.flag))}`];
  return [".TP", `.B ${roff(option.flags)}`, text(option.description), ...variable];
}

/** What --help prints behind the flags. */
function textBehind(command: Command): string {
  let printed = "";
  command.configureOutput({
    writeOut: (piece) => {
      printed += piece;
    },
  });
  command.outputHelp();
  return printed.slice(command.helpInformation().length);
}

/** Indented lines below a title are a section and stay as they are; other lines are sentences. */
function sectionsOf(behind: string): readonly string[] {
  const sentences: string[] = [];
  const sections: string[] = [];
  const status: string[] = [];
  for (const block of behind.split(/\n(?=\S)/).map((one) => one.trimEnd())) {
    const [title = "", ...rest] = block.split("\n").filter((line) => line.trim() !== "");
    if (rest.length > 0 && rest.every((line) => line.startsWith(" ")))
      sections.push(`.SH ${roff(title.replace(/:$/, "").toUpperCase())}`, ".nf", ...rest.map(text), ".fi");
    else if (title.startsWith("Exit codes: "))
      status.push(".SH EXIT STATUS", text(title.slice("Exit codes: ".length)));
    else
      sentences.push(
        ...[title, ...rest].filter((line) => line !== "").flatMap((line) => [".PP", text(line)]),
      );
  }
  return [...(sentences.length === 0 ? [] : [".SH NOTES", ...sentences]), ...status, ...sections];
}

/** A line of text: never a request. */
function text(line: string): string {
  return `\\&${roff(line)}`;
}

/** Without a meaning to roff; what is not ASCII by its number. */
function roff(line: string): string {
  return line
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\[dq]")
    .replaceAll(
      /[^\x20-\x7e]/gu,
      (one) => `\\[u${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}
