// A matrix for a terminal: a grid of signs, and the cells in which some connections are allowed, by their ports. Long lists are cut and
// counted. Users' text is made harmless.

import { aligned } from "../lib/aligned.ts";
import { printable } from "../model/quote.ts";
import type { MatrixReport } from "./report.ts";
import type { ShownCell } from "./words.ts";
import { legend, shownCells, titleOf } from "./words.ts";

const shownLines = 60;
/** A row of names would be wider than a terminal. */
const mostNamed = 8;

export function matrixText(report: MatrixReport): string {
  const { changes, caveats } = report;
  const cells = shownCells(report);
  const nothing = nothingText(report);
  const lines = [
    printable(titleOf(report)),
    "",
    ...(nothing === null ? [...gridLines(report, cells), "", legend] : [nothing]),
    ...detailLines(
      changes === undefined ? cells.filter(({ reach }) => reach === "some" || reach === "unknown") : cells,
    ),
    ...caveats.map(({ code, text }) => `note  ${code}: ${printable(text, 1000)}`),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

/** null: there are cells to show. */
function nothingText({ changes, cells }: MatrixReport): string | null {
  if (changes !== undefined) return changes.length === 0 ? "no cell differs" : null;
  return cells.length === 0 ? "no pod with an address is among the objects" : null;
}

/** Rows and columns without a cell are left out. */
function gridLines({ places }: MatrixReport, cells: readonly ShownCell[]): readonly string[] {
  const byPair = new Map(cells.map((cell) => [JSON.stringify([cell.from, cell.to]), cell]));
  const [froms, tos] = [new Set(cells.map(({ from }) => from)), new Set(cells.map(({ to }) => to))];
  const rows = places.filter(({ name }) => froms.has(name));
  const columns = places.filter(({ name }) => tos.has(name));
  const isNamed = columns.length <= mostNamed;
  const numbers = new Map(columns.map(({ name }, at) => [name, String(at + 1)]));
  const head = columns.map(({ name }) => (isNamed ? printable(name) : (numbers.get(name) ?? "")));
  const lines = rows.map(({ name }) => [
    isNamed ? printable(name) : `${(numbers.get(name) ?? "").padStart(2)} ${printable(name)}`,
    ...columns.map(({ name: to }) => byPair.get(JSON.stringify([name, to]))?.sign ?? "-"),
  ]);
  const unnamed = columns.filter(({ name }) => !isNamed && !froms.has(name));
  return [
    ...aligned([["from ╲ to", ...head], ...lines]),
    ...unnamed.map(({ name }) => `${(numbers.get(name) ?? "").padStart(2)} is ${printable(name)}`),
  ];
}

/** Cells of one text are one line. */
function detailLines(cells: readonly ShownCell[]): readonly string[] {
  if (cells.length === 0) return [];
  const byText = [...Map.groupBy(cells, ({ text }) => text)].sort(([, a], [, b]) => a.length - b.length);
  const lines = byText.map(([text, some]) => {
    const pairs = some.slice(0, 3).map(({ from, to }) => `${printable(from)} → ${printable(to)}`);
    const rest = some.length - pairs.length;
    return [`${pairs.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`, `    ${printable(text, 400)}`];
  });
  const more = lines.length - shownLines;
  return [
    "",
    ...lines.slice(0, shownLines).flat(),
    ...(more > 0 ? [`… and ${more} more; -o json has all`] : []),
  ];
}
