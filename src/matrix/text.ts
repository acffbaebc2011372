// A matrix for a terminal: a grid of signs, and the cells in which some connections are allowed, by their ports. Long lists are cut and
// counted. Users' text is made harmless.

import { aligned } from "../lib/aligned.ts";
import { foldedText } from "../lib/folded.ts";
import { printable } from "../model/quote.ts";
import type { MatrixReport } from "./report.ts";
import type { ShownCell } from "./words.ts";
import { legend, shownCells, titleOf } from "./words.ts";

const shownLines = 60;
/** A row of names would be wider than a terminal. */
const mostNamed = 8;

/** `width`: of lines; null: as wide as they are. */
export function matrixText(report: MatrixReport, width: number | null = null): string {
  const { changes, caveats } = report;
  const cells = shownCells(report);
  const within = (line: string): readonly string[] => foldedText(line, width).split("\n");
  const nothing = nothingText(report);
  const lines = [
    ...within(printable(titleOf(report))),
    "",
    ...(nothing === null ? [...gridLines(report, cells, width), "", ...within(legend)] : [nothing]),
    ...detailLines(
      changes === undefined ? cells.filter(({ reach }) => reach === "some" || reach === "unknown") : cells,
    ).flatMap(within),
    ...caveats.flatMap(({ code, text }) => within(`note  ${code}: ${printable(text, 1000)}`)),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

/** null: there are cells to show. */
function nothingText({ changes, cells }: MatrixReport): string | null {
  if (changes !== undefined) return changes.length === 0 ? "no cell differs" : null;
  return cells.length === 0 ? "no pod with an address is among the objects" : null;
}

/** Rows and columns without a cell are left out. Columns that do not fit beside one another are a grid of their own. */
function gridLines(
  { places }: MatrixReport,
  cells: readonly ShownCell[],
  width: number | null,
): readonly string[] {
  const byPair = new Map(cells.map((cell) => [JSON.stringify([cell.from, cell.to]), cell]));
  const [froms, tos] = [new Set(cells.map(({ from }) => from)), new Set(cells.map(({ to }) => to))];
  const rows = places.filter(({ name }) => froms.has(name));
  const columns = places.filter(({ name }) => tos.has(name));
  const isNamed = columns.length <= mostNamed && fits(rows, columns, width);
  const numbers = new Map(columns.map(({ name }, at) => [name, String(at + 1)]));
  const titleOfRow = (name: string): string =>
    isNamed ? printable(name) : `${(numbers.get(name) ?? "").padStart(2)} ${printable(name)}`;
  const grid = (some: readonly Place[]): readonly string[] =>
    aligned([
      [corner, ...some.map(({ name }) => (isNamed ? printable(name) : (numbers.get(name) ?? "")))],
      ...rows.map(({ name }) => [
        titleOfRow(name),
        ...some.map(({ name: to }) => byPair.get(JSON.stringify([name, to]))?.sign ?? "-"),
      ]),
    ]);
  const unnamed = columns.filter(({ name }) => !isNamed && !froms.has(name));
  const titles = Math.max(corner.length, ...rows.map(({ name }) => titleOfRow(name).length));
  const beside =
    width === null || isNamed ? columns.length : Math.max(1, Math.floor((width - titles) / widthOfNumber));
  const grids = Array.from({ length: Math.ceil(columns.length / beside) }, (_, at) =>
    grid(columns.slice(at * beside, (at + 1) * beside)),
  );
  return [
    ...grids.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines])),
    ...unnamed.map(({ name }) => `${(numbers.get(name) ?? "").padStart(2)} is ${printable(name)}`),
  ];
}

type Place = MatrixReport["places"][number];

const corner = "from ╲ to";
/** With the gap before it. */
const widthOfNumber = 4;

/** Whether the columns by their names fit beside those of the rows. */
function fits(rows: readonly Place[], columns: readonly Place[], width: number | null): boolean {
  const title = Math.max(corner.length, ...rows.map(({ name }) => printable(name).length));
  const own = columns.reduce((sum, { name }) => sum + 2 + printable(name).length, title);
  return width === null || own <= width;
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
