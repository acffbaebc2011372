// A matrix of what may reach what, as things are: rows are sources, columns destinations. One tab stop: arrow keys go from cell to
// cell, and Enter opens one.

import { h } from "./dom.js";
import { reachMark, reachTitle } from "./reach-words.js";
import { move, rove } from "./roving.js";

/** @typedef {import("../shown/reach.ts").Reach} Reach */
/**
 * @typedef {object} Grid
 * @property {string} label
 * @property {readonly string[]} columns
 * @property {readonly { name: string, cells: readonly (Reach | null)[] }[]} rows a cell is null where there is no connection
 * @property {(from: string, to: string) => boolean} isOpen
 * @property {(from: string, to: string) => string} hrefOf
 */

/** @param {Grid} grid */
export function reachGrid(grid) {
  const { label, columns, rows, isOpen } = grid;
  const hasOpen = rows.some(({ name }) => columns.some((column) => isOpen(name, column)));
  let isFirst = !hasOpen;
  return h(
    "div",
    { class: "wide" },
    h(
      "table",
      {
        ...{ class: "matrix reach-matrix", role: "grid", "aria-label": label },
        ...{ onkeydown: move, onfocusin: rove },
      },
      h(
        "thead",
        {},
        h(
          "tr",
          { role: "row" },
          h("td", { role: "gridcell" }, h("span", { class: "unseen" }, "from, to")),
          columns.map((name) => h("th", { scope: "col", role: "columnheader" }, h("span", {}, name))),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map(({ name, cells }) =>
          h(
            "tr",
            { role: "row", "data-key": name },
            h("th", { scope: "row", role: "rowheader" }, name),
            cells.map((reach, at) => {
              const to = columns[at] ?? "";
              const isStop = reach !== null && (isFirst || isOpen(name, to));
              if (isStop) isFirst = false;
              return cell({ from: name, to, reach }, grid, isStop);
            }),
          ),
        ),
      ),
    ),
  );
}

/**
 * @param {{ from: string, to: string, reach: Reach | null }} of
 * @param {Grid} grid
 * @param {boolean} isStop
 */
function cell({ from, to, reach }, { isOpen, hrefOf }, isStop) {
  if (reach === null)
    return h("td", { role: "gridcell", class: "same" }, h("span", { class: "unseen" }, "no connection"));
  return h(
    "td",
    { role: "gridcell" },
    h(
      "a",
      {
        href: hrefOf(from, to),
        "aria-label": `${from} to ${to}: ${reachTitle(reach)}`,
        "aria-current": isOpen(from, to) ? "true" : null,
        tabindex: isStop ? "0" : "-1",
        title: `${from} → ${to}: ${reachTitle(reach)}`,
      },
      reachMark(reach, ""),
    ),
  );
}
