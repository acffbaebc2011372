// Whether a program printed what a page shows. A page may leave out: `…` alone on a line stands for any lines, within a line for
// any text. Runs of spaces count as one, since columns are narrower where words are left out. Progress, which a command
// prints only on a slow machine, is left out.

import { withoutProgress } from "../support/without-progress.ts";

/** The first shown line that the output does not have in its place, or null. */
export function missingLine(shown: readonly string[], printed: string): string | null {
  const wanted = trimmed(shown);
  const had = trimmed(withoutProgress(printed).split("\n"));
  return found(wanted, had, 0, 0);
}

function found(wanted: readonly string[], had: readonly string[], from: number, at: number): string | null {
  for (let [next, line] = [from, at]; ; next += 1, line += 1) {
    const text = wanted[next];
    if (text === undefined)
      return line >= had.length ? null : `(the end; printed is also: ${had[line] ?? ""})`;
    if (text === "…") return foundLater(wanted, had, next + 1, line);
    if (line >= had.length || !pattern(text).test(had[line] ?? "")) return text;
  }
}

/** As `found`, from any line on. What is missing is that of the last try. */
function foundLater(
  wanted: readonly string[],
  had: readonly string[],
  from: number,
  at: number,
): string | null {
  if (from === wanted.length) return null;
  let missing: string | null = null;
  for (let start = at; start <= had.length; start += 1) {
    missing = found(wanted, had, from, start);
    if (missing === null) return null;
  }
  return missing;
}

function pattern(line: string): RegExp {
  const parts = line.split("…").map((part) => part.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

function trimmed(lines: readonly string[]): readonly string[] {
  const all = lines.map((line) => line.trim().replaceAll(/\s+/g, " "));
  while (all.at(-1) === "") all.pop();
  return all;
}
