// A matrix as a picture, SVG, and as a page, HTML: one file each that opens from disk, without scripts or anything from elsewhere.
// A cell is told by a sign and a word, never by colour alone; every text is a user's and is escaped.

import { printable } from "../model/quote.ts";
import type { MatrixReport } from "./report.ts";
import type { ShownCell } from "./words.ts";
import { legend, shownCells, titleOf } from "./words.ts";

/** Of one hue: what is allowed is neither good nor bad. */
const colours = { all: "#8fc1ee", some: "#d3e6f8", none: "#f0f0f0", unknown: "#fbe3a6" } as const;
const noCell = "#ffffff";
/** Of a text. */
const longest = 2_000;

interface Grid {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly at: (from: string, to: string) => ShownCell | undefined;
}

function gridOf(report: MatrixReport): Grid {
  const cells = shownCells(report);
  const byPair = new Map(cells.map((cell) => [JSON.stringify([cell.from, cell.to]), cell]));
  const [froms, tos] = [new Set(cells.map(({ from }) => from)), new Set(cells.map(({ to }) => to))];
  const names = report.places.map(({ name }) => name);
  return {
    rows: names.filter((name) => froms.has(name)),
    columns: names.filter((name) => tos.has(name)),
    at: (from, to) => byPair.get(JSON.stringify([from, to])),
  };
}

const cell = 34;
const letter = 7.5;

export function matrixSvg(report: MatrixReport): string {
  const { rows, columns, at } = gridOf(report);
  const left = 20 + letter * Math.max(10, ...rows.map(({ length }) => length));
  const top = 60 + letter * Math.max(4, ...columns.map(({ length }) => length));
  const [width, height] = [
    Math.max(left + cell * columns.length + 20, 20 + letter * legend.length),
    top + cell * rows.length + 50,
  ];
  const square = (row: string, y: number) =>
    columns.map((column, x) => {
      const one = at(row, column);
      const [px, py] = [left + x * cell, top + y * cell];
      const fill = one?.reach === undefined || one.reach === null ? noCell : colours[one.reach];
      const title = `${row} → ${column}: ${one?.text ?? "no connection"}`;
      return (
        `<g><title>${escaped(title)}</title><rect x="${px}" y="${py}" width="${cell}" height="${cell}" fill="${fill}" stroke="#fff"/>` +
        `<text x="${px + cell / 2}" y="${py + cell / 2 + 5}" text-anchor="middle">${one?.sign ?? "-"}</text></g>`
      );
    });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="t d" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    `<title id="t">${escaped(titleOf(report))}</title><desc id="d">${escaped(legend)}</desc>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="10" y="24" font-weight="bold">${escaped(titleOf(report))}</text>`,
    ...columns.map((name, x) => {
      const [px, py] = [left + x * cell + cell / 2 + 4, top - 8];
      return `<text transform="translate(${px} ${py}) rotate(-90)">${escaped(name)}</text>`;
    }),
    ...rows.flatMap((name, y) => [
      `<text x="${left - 8}" y="${top + y * cell + cell / 2 + 5}" text-anchor="end">${escaped(name)}</text>`,
      ...square(name, y),
    ]),
    `<text x="10" y="${height - 16}">${escaped(legend)}</text>`,
    "</svg>",
    "",
  ].join("\n");
}

const style =
  "body{font:14px sans-serif;margin:1.5rem;color:#111;background:#fff}" +
  ".grid{overflow-x:auto}table{border-collapse:collapse}" +
  "th,td{border:1px solid #767676;padding:.3rem .5rem;text-align:center}th[scope=row]{text-align:left}" +
  "thead th{vertical-align:bottom}.none{background:#f0f0f0}.all{background:#8fc1ee}.some{background:#d3e6f8}" +
  ".unknown{background:#fbe3a6}td small{display:block}dt{margin-top:.5rem;font-weight:bold}a:focus{outline:3px solid #1a4fa3}";

export function matrixHtml(report: MatrixReport): string {
  const { rows, columns, at } = gridOf(report);
  const title = escaped(titleOf(report));
  const data = (row: string) =>
    columns.map((column) => {
      const one = at(row, column);
      if (one === undefined) return "<td>-<small>no connection</small></td>";
      return `<td class="${one.reach ?? ""}"><span aria-hidden="true">${one.sign}</span><small>${escaped(one.word)}</small></td>`;
    });
  const details = rows.map((row) => {
    const own = columns.flatMap((column) => at(row, column) ?? []);
    const lines = own.map(({ to, text }) => `<dt>→ ${escaped(to)}</dt><dd>${escaped(text)}</dd>`);
    return `<details><summary>from ${escaped(row)}</summary><dl>${lines.join("")}</dl></details>`;
  });
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head><body><main>`,
    `<h1>${title}</h1><p>${escaped(legend)}. Rows are sources, columns are destinations.</p>`,
    ...(rows.length === 0 ? ["<p>no cell differs</p>"] : []),
    `<div class="grid" role="region" aria-label="matrix" tabindex="0"><table><caption>${title}</caption><thead><tr><th scope="col">from ╲ to</th>`,
    ...columns.map((name) => `<th scope="col">${escaped(name)}</th>`),
    "</tr></thead><tbody>",
    ...rows.map((row) => `<tr><th scope="row">${escaped(row)}</th>${data(row).join("")}</tr>`),
    "</tbody></table></div>",
    "<h2>By protocol and port</h2>",
    ...details,
    ...report.caveats.map(({ code, text }) => `<p>Note ${escaped(code)}: ${escaped(text)}</p>`),
    "</main></body></html>",
    "",
  ].join("\n");
}

/** What is invisible is written by its number. */
function escaped(text: string): string {
  return printable(text, longest)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
