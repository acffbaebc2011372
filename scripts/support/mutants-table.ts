// What the judges said about every mutant, as a table for a terminal and as one for a document.

import { readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";
import type { Mutant } from "../../test/mutants/mutant.ts";
import type { Verdict } from "./workshop.ts";

export interface Row {
  readonly mutant: Mutant;
  /** By judge. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

export const marks: Readonly<Record<Verdict["kind"], string>> = {
  objects: "caught",
  content: "-",
  "no verdict": "?",
};

export function caughtBy({ verdicts }: Row): readonly string[] {
  return [...verdicts].filter(([, { kind }]) => kind === "objects").map(([judge]) => judge);
}

export function terminalTable(rows: readonly Row[], judges: readonly string[]): string {
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  const cells = [["area", "mutant", ...judges], ...rows.map((row) => rowCells(row, row.mutant.name, judges))];
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map(line).join("\n");
}

function rowCells({ mutant, verdicts }: Row, what: string, judges: readonly string[]): string[] {
  const said = judges.map((judge) => {
    const verdict = verdicts.get(judge);
    return verdict === undefined ? "" : marks[verdict.kind];
  });
  return [mutant.area, what, ...said];
}

/** Puts the table between the document's two markers. */
export async function writeDocument(
  path: string,
  rows: readonly Row[],
  judges: readonly string[],
  under: string,
): Promise<void> {
  const marker = "<!-- mutants -->";
  const parts = readFileSync(path, "utf8").split(marker);
  if (parts.length !== 3) throw new Error(`${path} has not two lines ${marker}`);
  const cells = [
    ["area", "what goes wrong", ...judges],
    ["-", "-", ...judges.map(() => "-")],
    ...rows.map((row) => rowCells(row, row.mutant.harm, judges)),
  ];
  const table = cells.map((row) => `| ${row.join(" | ")} |`).join("\n");
  const text = [parts[0], `\n\n${under}\n\n${table}\n\n`, parts[2]].join(marker);
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), parser: "markdown" }));
}
