// What a command says on standard error. Everything there may hold a user's text, a file's name or a server's answer, so
// it goes through the one place that makes it harmless for a terminal.

import { printable } from "../../model/quote.ts";

const maxLine = 1000;

/** One line. */
export function printError(message: string): void {
  process.stderr.write(`northgate: ${printable(message, maxLine)}\n`);
}

/** A stack trace keeps its lines. */
export function printErrorLines(lines: string): void {
  for (const line of lines.split("\n")) process.stderr.write(`${printable(line, maxLine)}\n`);
}

/** The name of a similar command or flag, on a line of its own. */
const hint = /\n\(Did you mean [^\n]*\?\)$/;

/** An error of the command line's parser, which repeats what was given. */
export function printUsageError(text: string, write: (line: string) => void): void {
  const whole = text.trimEnd();
  const hinted = hint.exec(whole)?.[0] ?? "";
  write(`${printable(whole.slice(0, whole.length - hinted.length), maxLine)}${hinted}\n`);
}
