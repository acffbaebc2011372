// A matrix for other programs: CSV for a spreadsheet, DOT for Graphviz. Users' text is quoted as each form quotes.

import type { MatrixReport } from "./report.ts";
import { reaches } from "../crossings/reach.ts";
import { trafficText } from "../verdicts/traffic-words.ts";
import { shownCells, titleOf } from "./words.ts";

/** RFC 4180, with a line for each cell; of a difference with what it was before. */
export function matrixCsv(report: MatrixReport): string {
  const { cells, changes } = report;
  if (changes === undefined) {
    const lines = cells.map(({ from, to, reach, traffic }) => [
      ...[from, to, reach],
      ...reaches.map((one) => (traffic[one] === undefined ? "" : trafficText(traffic[one]))),
    ]);
    return csvOf([["from", "to", "reach", ...reaches], ...lines]);
  }
  const shown = shownCells(report);
  return csvOf([
    ["from", "to", "change", "traffic"],
    ...shown.map(({ from, to, word, text }) => [from, to, word, text]),
  ]);
}

function csvOf(lines: readonly (readonly string[])[]): string {
  return lines.map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
}

/** A spreadsheet takes what begins so for a formula. */
const formula = /^[=+\-@\t\r]/;

function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const styles = { all: "solid", some: "dashed", unknown: "dotted", none: "invis" } as const;

/** An edge for each cell in which something may pass; without a place to itself. */
export function matrixDot(report: MatrixReport): string {
  const cells = shownCells(report).filter(({ reach }) => report.changes !== undefined || reach !== "none");
  const used = new Set(cells.flatMap(({ from, to }) => [from, to]));
  const nodes = report.places.filter(({ name }) => used.has(name));
  return [
    "digraph matrix {",
    `  label=${dotText(titleOf(report))};`,
    "  node [shape=box];",
    ...nodes.map(({ name }) => `  ${dotText(name)};`),
    ...cells.map(({ from, to, word, text, reach }) => {
      const style = report.changes === undefined && reach !== null ? styles[reach] : "solid";
      return `  ${dotText(from)} -> ${dotText(to)} [label=${dotText(word)}, tooltip=${dotText(text)}, style=${style}];`;
    }),
    "}",
    "",
  ].join("\n");
}

function dotText(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll(/\s+/g, " ")}"`;
}
