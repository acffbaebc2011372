// The workloads of a namespace and what is beside them as a graph, with the matrix of the same as its text. A node that is chosen
// has its own lines alone. What is chosen is in the address.

import { ask } from "./api.js";
import { counted, fill, h, shape, v } from "./dom.js";
import { reachGrid } from "./grid.js";
import { endLink } from "./links.js";
import { besideMark, reachLook, reachMark } from "./reach-words.js";
import { rove, step } from "./roving.js";
import { hrefOf } from "./url.js";

/** @typedef {import("../shown/end.ts").GraphShown} Graph */
/** @typedef {import("../shown/end.ts").GraphEdge} Edge */
/** @typedef {import("./url.js").State} State */

const width = 920;
/** A circle is higher than wide: names are beside it. */
const stretch = 1.25;
const longest = 26;
/** How wide a letter is at most, and what a text is away from its node. */
const letter = 7.5;
const margin = 20;
/** With more lines signs would hide them. */
const mostSigns = 40;

/**
 * @param {State} state
 * @param {import("./main.js").Context} context
 * @param {string} what
 */
export function graphSection(state, context, what) {
  const { namespace = "" } = state;
  const body = h("div", { id: "graph-body" });
  fill(body, h("p", { class: "quiet" }, "The graph is being made."));
  context.later(async () => {
    /** @type {Graph | { isMaking: true }} */
    const told = await ask("namespace/graph", { namespace });
    if (told.isMaking) return "";
    fill(body, graph(told, state));
    return told.revision;
  });
  return h(
    "section",
    { id: "graph", tabindex: "-1", "aria-labelledby": "graph-title" },
    h("h2", { id: "graph-title" }, "Neighbourhood", h("span", {}, what)),
    body,
  );
}

/**
 * @param {Graph} told
 * @param {State} state
 */
function graph(told, state) {
  const { nodes, edges, total } = told;
  const chosen = nodes.findIndex(({ name }) => name === state.node);
  const byPlace = new Map(edges.map((edge) => [`${edge.from} ${edge.to}`, edge]));
  return [
    total > nodes.length &&
      h("p", { class: "quiet" }, `The ${nodes.length} with the most pods are shown, of ${total}.`),
    h("div", { class: "wide graph" }, drawing(told, state, chosen)),
    chosen >= 0 && chosenText(told, state, chosen),
    h(
      "p",
      { class: "facts legend" },
      /** @type {const} */ (["all", "some", "none", "unknown"]).map((kind) => h("span", {}, reachMark(kind))),
      h("span", {}, "Below is the same as a table: rows are sources, columns destinations."),
    ),
    reachGrid({
      label: "Which workload may reach which",
      columns: nodes.map(({ name }) => name),
      rows: nodes.map(({ name }, from) => ({
        name,
        cells: nodes.map((_, to) => byPlace.get(`${from} ${to}`)?.reach ?? null),
      })),
      isOpen: (from, to) => from === state.from && to === state.to,
      hrefOf: (from, to) => `${hrefOf({ ...state, from, to })}#graph-cell`,
    }),
    cellText(told, state),
  ];
}

/**
 * @param {Graph} told
 * @param {State} state
 */
function cellText({ nodes, edges }, { from = "", to = "" }) {
  const edge = edges.find((one) => nodes[one.from]?.name === from && nodes[one.to]?.name === to);
  if (edge === undefined) return null;
  return h(
    "div",
    { id: "graph-cell", tabindex: "-1" },
    h(
      "h3",
      {},
      endLink(nodes[edge.from]?.end ?? null, from),
      " → ",
      endLink(nodes[edge.to]?.end ?? null, to),
      " ",
      reachMark(edge.reach),
    ),
    h("p", {}, besideMark(edge.text)),
  );
}

/**
 * @param {Graph} told
 * @param {State} state
 * @param {number} chosen
 */
function chosenText({ nodes, edges }, state, chosen) {
  const { name = "", end = null } = nodes[chosen] ?? {};
  const count = (/** @type {"from" | "to"} */ side, /** @type {Edge["reach"]} */ reach) =>
    edges.filter((one) => one[side] === chosen && one.from !== one.to && one.reach === reach).length;
  const side = (/** @type {"from" | "to"} */ role, /** @type {string} */ text) =>
    h(
      "span",
      {},
      `${text} `,
      /** @type {const} */ (["all", "some", "none", "unknown"]).map((reach) =>
        count(role, reach) === 0 ? "" : [" ", reachMark(reach), ` ${count(role, reach)}`],
      ),
    );
  return h(
    "p",
    { class: "facts", id: "graph-node" },
    h("b", {}, endLink(end, name)),
    side("from", "may reach:"),
    side("to", "is reached by:"),
    h("a", { href: `${hrefOf({ ...state, node: "" })}#graph` }, "Show all lines"),
  );
}

/**
 * @param {Graph} told
 * @param {State} state
 * @param {number} chosen
 */
function drawing({ nodes, edges }, state, chosen) {
  const places = nodes.map((_, at) => placeOf(at, nodes.length));
  const isBeside = (/** @type {number} */ at) => nodes[at]?.isBeside === true;
  const lines = edges.filter(
    ({ from, to }) =>
      from !== to && !(isBeside(from) && isBeside(to)) && (chosen < 0 || from === chosen || to === chosen),
  );
  const box = boxOf(nodes, places);
  return v(
    "svg",
    {
      ...{
        viewBox: `${box.left} 0 ${box.width} ${heightOf(nodes.length)}`,
        ...{ width: String(box.width), height: String(heightOf(nodes.length)) },
        role: "group",
        class: lines.length > mostSigns ? "many" : "few",
      },
      ...{
        "aria-label": "Graph of the workloads; the table below says the same",
        onkeydown: step,
        onfocusin: rove,
      },
    },
    v("defs", {}, /** @type {const} */ (["allow", "pass", "deny", "unknown"]).map(arrow)),
    lines.map((edge) => line(edge, places, nodes.length, lines.length <= mostSigns)),
    nodes.map((node, at) =>
      nodeLink(
        node,
        { ...(places[at] ?? { x: 0, y: 0 }), middle: heightOf(nodes.length) / 2 },
        state,
        at === Math.max(0, chosen),
      ),
    ),
  );
}

/** @param {string} look */
function arrow(look) {
  const box = { viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" };
  return v("marker", { ...box, id: `arrow-${look}`, class: look }, v("path", { d: "M0 0 8 4 0 8Z" }));
}

/** @param {number} count */
function radiusOf(count) {
  return Math.min(240, 90 + 10 * count);
}

/** @param {number} count */
function heightOf(count) {
  return 2 * stretch * radiusOf(count) + 80;
}

/**
 * @param {number} at
 * @param {number} count
 */
function placeOf(at, count) {
  const angle = (2 * Math.PI * at) / count - Math.PI / 2;
  const radius = radiusOf(count);
  return {
    x: width / 2 + radius * Math.cos(angle),
    y: heightOf(count) / 2 + radius * stretch * Math.sin(angle),
  };
}

/**
 * As wide as its texts need: what is narrow is seen whole on a phone.
 * @param {Graph["nodes"]} nodes
 * @param {readonly { x: number }[]} places
 */
function boxOf(nodes, places) {
  const reach = (/** @type {number} */ at) =>
    Math.min(nodes[at]?.name.length ?? 0, longest) * letter + margin;
  const left = Math.floor(
    Math.min(...places.map(({ x }, at) => x - (x > width / 2 + 20 ? margin : reach(at)))),
  );
  const right = Math.ceil(
    Math.max(...places.map(({ x }, at) => x + (x < width / 2 - 20 ? margin : reach(at)))),
  );
  return { left, width: right - left };
}

/**
 * A bent line: the two of a pair are apart.
 * @param {Edge} edge
 * @param {readonly { x: number, y: number }[]} places
 * @param {number} count
 * @param {boolean} hasSign
 */
function line({ from, to, reach }, places, count, hasSign) {
  const [a, b] = [places[from], places[to]];
  if (a === undefined || b === undefined) return null;
  const { sign, look } = reachLook(reach);
  const bend = count < 3 ? 0.25 : 0.12;
  const middle = {
    x: (a.x + b.x) / 2 - (b.y - a.y) * bend,
    y: (a.y + b.y) / 2 + (b.x - a.x) * bend,
  };
  const end = nearer(b, middle, 9);
  const start = nearer(a, middle, 9);
  const path = [start, middle, end].map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  const [signX, signY] = [(a.x + 2 * middle.x + b.x) / 4 - 7, (a.y + 2 * middle.y + b.y) / 4 - 7];
  return v(
    "g",
    { class: `edge ${look}`, "data-key": `${from} ${to}`, "data-reach": reach },
    v("path", { class: "way", d: `M${path[0]}Q${path[1]} ${path[2]}`, "marker-end": `url(#arrow-${look})` }),
    hasSign && shape(sign, { x: signX.toFixed(1), y: signY.toFixed(1), width: 14, height: 14 }),
  );
}

/**
 * @param {{ x: number, y: number }} point
 * @param {{ x: number, y: number }} to
 * @param {number} by
 */
function nearer(point, to, by) {
  const length = Math.hypot(to.x - point.x, to.y - point.y) || 1;
  return { x: point.x + ((to.x - point.x) / length) * by, y: point.y + ((to.y - point.y) / length) * by };
}

/**
 * @param {import("../shown/end.ts").GraphNode} node
 * @param {{ x: number, y: number, middle: number }} place
 * @param {State} state
 * @param {boolean} isStop
 */
function nodeLink({ name, pods, isBeside }, { x, y, middle }, state, isStop) {
  const [dx, dy] = [x - width / 2, y - middle];
  const anchor = Math.abs(dx) < 20 ? "middle" : dx < 0 ? "end" : "start";
  const shift = anchor === "middle" ? 0 : Math.sign(dx) * 13;
  const own = isBeside ? name : name.slice(name.indexOf("/") + 1);
  const text = own.length > longest ? `${own.slice(0, longest - 1)}…` : own;
  const isChosen = state.node === name;
  return v(
    "a",
    {
      ...{
        href: `${hrefOf({ ...state, node: isChosen ? "" : name })}#graph`,
        class: "node",
        "data-key": name,
      },
      ...{ tabindex: isStop ? "0" : "-1", "aria-current": isChosen ? "true" : null },
      "aria-label": `${name}, ${counted(pods, "pod")}${isChosen ? ", chosen" : ""}`,
    },
    v("title", {}, name),
    v("circle", {
      cx: x.toFixed(1),
      cy: y.toFixed(1),
      r: isBeside ? 5 : 7,
      class: isBeside ? "beside" : "own",
    }),
    v(
      "text",
      {
        ...{ x: (x + shift).toFixed(1), "text-anchor": anchor },
        y: (y + (anchor === "middle" ? Math.sign(dy) * 20 + 4 : 4)).toFixed(1),
      },
      text,
    ),
  );
}
