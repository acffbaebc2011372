// Namespaces against namespaces as things are now, a window at a time: a cell opens its traffic in words, with a question for the
// tester.

import { ask } from "./api.js";
import { counted, fill, h } from "./dom.js";
import { reachGrid } from "./grid.js";
import { namespaceLink } from "./links.js";
import { besideMark, reachMark } from "./reach-words.js";
import { go, hrefOf } from "./url.js";

/** @typedef {import("../shown/reach.ts").MatrixShown} Matrix */
/** @typedef {import("../shown/reach.ts").CellShown} Cell */
/** @typedef {import("./url.js").State} State */

const size = 30;
/** So many are found without a filter. */
const fewPlaces = 12;
/** The cell that is in sight. */
let arrived = "";

/**
 * @param {State} state
 * @param {import("./main.js").Context} context
 */
export function reachSection(state, context) {
  const body = h("div", { id: "reach-body" });
  const detail = h("div", { id: "reach-cell", tabindex: "-1" });
  const section = h(
    "section",
    { class: "reach", "aria-labelledby": "reach-title" },
    h("h2", { id: "reach-title" }, "Namespaces", h("span", {}, "which may reach which, as things are now")),
    body,
    detail,
  );
  fill(body, h("p", { class: "quiet" }, "The matrix is being made."));
  context.later(async () => {
    const { q = "", row = "0", column = "0" } = state;
    /** @type {Matrix | { isMaking: true }} */
    const told = await ask("matrix", { q, from: numberOf(row), to: numberOf(column), limit: size });
    if (told.isMaking) return "";
    fill(
      body,
      (told.total > fewPlaces || q !== "") && filter(q),
      gridOf(told, state),
      parts(told, state),
      legend(told),
    );
    await open(detail, state);
    return told.revision;
  });
  return section;
}

/** @param {string} text */
function numberOf(text) {
  return Math.max(0, Math.floor(Number(text)) || 0);
}

/** @param {string} q */
function filter(q) {
  return h(
    "form",
    {
      class: "question",
      onsubmit: (/** @type {Event & { currentTarget: HTMLFormElement }} */ event) => {
        event.preventDefault();
        go({ view: "home", q: String(new FormData(event.currentTarget).get("q")).trim() });
      },
    },
    h(
      "div",
      { class: "field" },
      h("label", { for: "reach-q" }, "Namespaces with"),
      h("input", { id: "reach-q", name: "q", type: "search", value: q, autocomplete: "off" }),
    ),
    h("button", { type: "submit" }, "Filter"),
  );
}

/**
 * @param {Matrix} told
 * @param {State} state
 */
function gridOf({ columns, rows }, state) {
  if (rows.length === 0) return h("p", { class: "quiet" }, "No namespace has a pod with an address.");
  return reachGrid({
    label: "Which namespace may reach which",
    columns: columns.map(({ name }) => name),
    rows: rows.map(({ place, cells }) => ({ name: place.name, cells })),
    isOpen: (from, to) => from === state.from && to === state.to,
    hrefOf: (from, to) => `${hrefOf({ ...state, view: "home", from, to })}#reach-cell`,
  });
}

/**
 * @param {Matrix} told
 * @param {State} state
 */
function parts({ total, from, to, rows, columns }, state) {
  if (total <= rows.length && total <= columns.length) return null;
  const link = (/** @type {string} */ name, /** @type {number} */ at, /** @type {string} */ text) =>
    h(
      "a",
      { href: hrefOf({ ...state, view: "home", from: "", to: "", [name]: at === 0 ? "" : String(at) }) },
      text,
    );
  const one = (/** @type {string} */ name, /** @type {number} */ at, /** @type {number} */ shown) =>
    h(
      "span",
      {},
      `${name}s ${at + 1} to ${at + shown} of ${total.toLocaleString("en")} `,
      at > 0 && link(name, Math.max(0, at - size), `earlier ${name}s`),
      " ",
      at + shown < total && link(name, at + shown, `later ${name}s`),
    );
  return h(
    "nav",
    { class: "pages", "aria-label": "Parts of the matrix" },
    one("row", from, rows.length),
    one("column", to, columns.length),
  );
}

/** @param {Matrix} told */
function legend({ counts, caveats }) {
  const kinds = /** @type {const} */ (["all", "some", "none", "unknown"]);
  return [
    h(
      "p",
      { class: "facts legend" },
      kinds.map((kind) => h("span", {}, reachMark(kind), ` ${counted(counts[kind], "pair")}`)),
      h("span", {}, "Rows are sources, columns destinations."),
    ),
    caveats.shown.map(({ code, text }) => h("p", { class: "caveat" }, h("b", {}, code), ` ${text}`)),
  ];
}

/**
 * The cell of the address.
 * @param {HTMLElement} detail
 * @param {State} state
 */
async function open(detail, { from = "", to = "" }) {
  if (from === "" || to === "") {
    fill(detail);
    return;
  }
  /** @type {Cell | { isMaking: true }} */
  const cell = await ask("matrix/cell", { from, to }).catch(() => ({ isMaking: true }));
  if (cell.isMaking) {
    fill(detail, h("p", { class: "quiet" }, "There is no connection between the two."));
    return;
  }
  const { reach, text, question } = cell;
  const name = (/** @type {string} */ place) => (place.startsWith("(") ? place : namespaceLink(place));
  fill(
    detail,
    h("h3", {}, name(from), " → ", name(to), " ", reachMark(reach)),
    h("p", {}, besideMark(text)),
    question === null
      ? h("p", { class: "quiet" }, "No pair of pods is there to ask the tester about.")
      : h(
          "p",
          {},
          h(
            "a",
            {
              href: hrefOf({
                view: "tester",
                ...question,
                port: question.port === null ? "" : String(question.port),
              }),
            },
            `Ask the tester: ${question.from} to ${question.to}, ${question.protocol} ${question.port ?? ""}`.trim(),
          ),
        ),
  );
  // Once for a cell that somebody has opened: a change of the world moves nothing.
  if (location.hash === "#reach-cell" && arrived !== `${from} ${to}`)
    detail.scrollIntoView({ block: "center" });
  arrived = `${from} ${to}`;
}
