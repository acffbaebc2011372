// Namespaces against namespaces, those that change alone, worst first, a window of them at a time. One tab stop: arrow keys go
// from cell to cell.

import { counted, h } from "./dom.js";
import { move, rove } from "./roving.js";
import { hrefOf } from "./url.js";
import { placeText, verdictMark } from "./words.js";

/** @typedef {import("../../plan/filtered.ts").MatrixWindow} Window */
/** @typedef {import("../../plan/matrix.ts").Cell} Cell */
/** @typedef {import("./url.js").State} State */

const harm = ["deny", "allow", "unknown"];

/**
 * @param {Window} window
 * @param {State} state with the open cell
 */
export function matrix(window, state) {
  const { from, to, cells, row, totals } = window;
  const byPlace = new Map(cells.map((cell) => [`${cell.from} ${cell.to}`, cell]));
  const open = byPlace.get(`${state.from} ${state.to}`) ?? firstOf(window, byPlace);
  const cellOf = (/** @type {string} */ name, /** @type {string} */ other) => {
    const cell = byPlace.get(`${name} ${other}`);
    return cell === undefined
      ? h("td", { class: "same" }, h("span", { class: "unseen" }, "no change"))
      : h("td", { class: "changed", "data-key": other }, cellLink(cell, state, cell === open));
  };
  return h(
    "section",
    { id: "matrix", class: "field-of-cells", tabindex: "-1", "aria-label": "Namespaces against namespaces" },
    h(
      "p",
      { class: "hint" },
      "From the namespaces on the left to those above, worst first. A cell opens what changes between the two; arrow keys go from cell to cell.",
    ),
    windows(window, state),
    h(
      "div",
      { class: "wide" },
      h(
        "table",
        {
          ...{ class: "matrix", role: "grid", "aria-label": "What changes from namespace to namespace" },
          ...{ "aria-rowcount": totals.from + 1, "aria-colcount": totals.to + 1 },
          ...{ onkeydown: move, onfocusin: rove },
        },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td", {}),
            to.map((name) => h("th", { scope: "col", "data-key": name }, h("span", {}, placeText(name)))),
          ),
        ),
        h(
          "tbody",
          {},
          from.map((name, at) =>
            h(
              "tr",
              { "data-key": name, "aria-rowindex": row + at + 2 },
              h("th", { scope: "row" }, placeText(name)),
              to.map((other) => cellOf(name, other)),
            ),
          ),
        ),
      ),
    ),
  );
}

/**
 * @param {Window} window
 * @param {ReadonlyMap<string, Cell>} byPlace
 */
function firstOf({ from, to }, byPlace) {
  for (const name of from)
    for (const other of to) {
      const cell = byPlace.get(`${name} ${other}`);
      if (cell !== undefined) return cell;
    }
  return undefined;
}

/**
 * @param {Cell} cell
 * @param {State} state
 * @param {boolean} isTabStop
 */
function cellLink({ from, to, changes }, state, isTabStop) {
  const total = Object.values(changes).reduce((sum, one) => sum + one, 0);
  const kinds = [...new Set(Object.keys(changes).map((change) => change.split(" → ")[1] ?? "unknown"))].sort(
    (a, b) => harm.indexOf(a) - harm.indexOf(b),
  );
  // The total, which is what the cell shows, is always in its name.
  const counts = Object.entries(changes).map(([change, count]) => [count, change.replace("→", "to")]);
  const label =
    counted(total, "class", "classes") +
    (counts.length === 1 ? ` ${counts[0]?.[1] ?? ""}` : `: ${counts.map((one) => one.join(" ")).join(", ")}`);
  return h(
    "a",
    {
      href: `${hrefOf({ ...state, from, to })}#classes`,
      "aria-label": `${placeText(from)} to ${placeText(to)}: ${label}`,
      "aria-current": from === state.from && to === state.to ? "true" : null,
      ...{ title: label, class: kinds[0], tabindex: isTabStop ? "0" : "-1" },
    },
    kinds.map((kind) => verdictMark(kind, "")),
    h("span", { class: "count" }, total),
  );
}

/**
 * Which part of the rows and columns this is, and the parts beside it.
 * @param {Window} window
 * @param {State} state
 */
function windows({ from, to, row, column, size, totals }, state) {
  const one = (
    /** @type {"row" | "column"} */ name,
    /** @type {number} */ at,
    /** @type {number} */ shown,
    /** @type {number} */ total,
  ) => {
    if (total <= shown) return null;
    const link = (/** @type {number} */ next, /** @type {string} */ text) =>
      h(
        "a",
        { href: `${hrefOf({ ...state, from: "", to: "", [name]: next === 0 ? "" : String(next) })}#matrix` },
        text,
      );
    return h(
      "span",
      {},
      `${name === "row" ? "Rows" : "Columns"} ${at + 1} to ${at + shown} of ${total.toLocaleString("en")} `,
      at > 0 && link(Math.max(0, at - (name === "row" ? size.rows : size.columns)), `Earlier ${name}s`),
      at > 0 && " ",
      at + shown < total && link(at + shown, `Later ${name}s`),
    );
  };
  const parts = [one("row", row, from.length, totals.from), one("column", column, to.length, totals.to)];
  return (
    parts.some((part) => part !== null) &&
    h("nav", { class: "pages", "aria-label": "Parts of the matrix" }, parts)
  );
}
