// Lines of a report for a terminal: a title in a first column, and what is said of it beside it.

import { folded } from "../folded.ts";

const column = 15;

/** The title stands before the first line alone. */
export function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => (at === 0 ? `${title} ` : "").padEnd(column) + line);
}

/** `width`: of a terminal, whose lines are folded; null: they are not. */
export function sectionsText(lines: readonly string[], width: number | null): string {
  return lines
    .flatMap((line) => folded(line, width, column))
    .map((line) => `${line}\n`)
    .join("");
}
