// The plan: namespaces against namespaces. A cell with a change opens its classes: who with whom, by which traffic, and who
// decided before and decides now.

import { ask } from "./api.js";
import { counted, h } from "./dom.js";
import { edits } from "./edits.js";
import { hrefOf } from "./url.js";
import { refName, verdictMark, verdictWords } from "./words.js";

/** @typedef {import("../shown.ts").PlanShown} Plan */
/** @typedef {import("../shown.ts").ClassShown} ClassShown */

const shownPlaces = 40;
const words = { allow: "allowed", deny: "denied", unknown: "unknown" };

/** @type {import("./main.js").View} */
export async function planView(state) {
  /** @type {Plan | import("../shown.ts").Making} */
  const plan = await ask("plan");
  if (plan.isMaking) {
    const text = "The two worlds are being compared…";
    return {
      title: "Plan",
      said: text,
      revision: "",
      elements: [h("h1", {}, "What the edit changes"), h("p", { class: "lead" }, text)],
    };
  }
  const { from = "", to = "" } = state;
  const isOpen = from !== "" && to !== "";
  /** @type {import("../shown.ts").ClassesShown | null} */
  const classes = isOpen ? await ask("plan/classes", { from, to }) : null;
  const sentence = sentenceOf(plan);
  return {
    title: isOpen ? `Plan: ${from} to ${to}` : "Plan",
    said: classes === null ? sentence : `${from} to ${to}: ${counted(classes.total, "class", "classes")}`,
    revision: plan.revision,
    elements: [
      h("h1", {}, "What the edit changes"),
      h("p", { class: "lead" }, sentence),
      h(
        "p",
        { class: "facts" },
        h("span", {}, `against ${plan.against}`),
        plan.rows !== null && h("span", {}, rowsText(plan.rows)),
      ),
      plan.caveats.map(({ code, text }) => h("p", { class: "caveat" }, h("b", {}, code), ` ${text}`)),
      plan.matrix.cells.length > 0 && matrix(plan, from, to),
      classes !== null && classList(classes, from, to),
      edits(plan),
    ],
  };
}

/** @param {Plan} plan */
function sentenceOf({ verdicts }) {
  if (verdicts.total === 0) return "No verdict of any connection differs.";
  const parts = Object.entries(verdicts.counts).map(([change, count]) => {
    const [old = "", next = ""] = change.split(" → ");
    return `${counted(count, "class", "classes")} of connections from ${wordOf(old)} to ${wordOf(next)}`;
  });
  return `${parts.join(parts.length > 2 ? "; " : ", and ")}.`;
}

/** @param {string} verdict */
function wordOf(verdict) {
  return words[/** @type {keyof typeof words} */ (verdict)] ?? verdict;
}

/** @param {NonNullable<Plan["rows"]>} rows */
function rowsText(rows) {
  const parts = /** @type {const} */ (["add", "change", "delete"])
    .filter((op) => rows[op] > 0)
    .map((op) => `${rows[op].toLocaleString("en")} to ${op}`);
  return parts.length === 0 ? "no row differs" : `rows: ${parts.join(", ")}`;
}

/**
 * @param {Plan} plan
 * @param {string} openFrom
 * @param {string} openTo
 */
function matrix({ matrix: { from, to, cells } }, openFrom, openTo) {
  const rows = from.slice(0, shownPlaces);
  const columns = to.slice(0, shownPlaces);
  const byPlace = new Map(cells.map((cell) => [`${cell.from} ${cell.to}`, cell]));
  const hidden = from.length - rows.length + (to.length - columns.length);
  return [
    h(
      "p",
      { class: "hint" },
      "From the namespaces on the left to those above. A cell opens what changes between the two.",
    ),
    h(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": "Namespaces against namespaces" },
      h(
        "table",
        { class: "matrix" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td", {}),
            columns.map((name) => h("th", { scope: "col" }, h("span", {}, placeText(name)))),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((name) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, placeText(name)),
              columns.map((other) => {
                const cell = byPlace.get(`${name} ${other}`);
                if (cell === undefined)
                  return h("td", { class: "same" }, h("span", { class: "unseen" }, "no change"));
                const isOpen = name === openFrom && other === openTo;
                return h("td", { class: "changed" }, cellLink(cell, isOpen));
              }),
            ),
          ),
        ),
      ),
    ),
    hidden > 0 &&
      h(
        "p",
        { class: "quiet" },
        `${hidden} more rows and columns are not shown; northgate plan -o json has all.`,
      ),
  ];
}

/** @param {string} place */
function placeText(place) {
  return place === "no pod" ? "addresses" : place;
}

/**
 * @param {import("../../plan/matrix.ts").Cell} cell
 * @param {boolean} isOpen
 */
function cellLink({ from, to, changes }, isOpen) {
  const total = Object.values(changes).reduce((sum, one) => sum + one, 0);
  const kinds = [
    ...new Set(Object.keys(changes).map((change) => change.split(" → ")[1] ?? "unknown")),
  ].sort();
  const label = Object.entries(changes)
    .map(([change, count]) => `${counted(count, "class", "classes")} ${change.replace("→", "to")}`)
    .join(", ");
  return h(
    "a",
    {
      href: `${hrefOf({ view: "plan", from, to })}#classes`,
      "aria-label": `${placeText(from)} to ${placeText(to)}: ${label}`,
      "aria-current": isOpen ? "true" : null,
      title: label,
      class: kinds.length === 1 ? kinds[0] : "mixed",
    },
    kinds.map((kind) => verdictMark(kind, "")),
    h("span", { class: "count" }, total),
  );
}

/**
 * @param {import("../shown.ts").ClassesShown} list
 * @param {string} from
 * @param {string} to
 */
function classList({ total, classes }, from, to) {
  return h(
    "section",
    { id: "classes", class: "classes", tabindex: "-1" },
    h("h2", {}, `${placeText(from)} → ${placeText(to)}`, h("span", {}, counted(total, "class", "classes"))),
    h("ol", {}, classes.map(classOf)),
    total > classes.length &&
      h(
        "p",
        { class: "quiet" },
        `${total - classes.length} more are not shown; northgate plan -o json has all.`,
      ),
  );
}

/** @param {ClassShown} one */
function classOf(one) {
  const { old, new: next, from, to, totals, words: said, example, families } = one;
  return h(
    "li",
    { class: "class" },
    h(
      "p",
      { class: "change" },
      verdictMark(old, verdictWords[old]),
      h("span", { class: "soft" }, "becomes"),
      verdictMark(next, verdictWords[next]),
    ),
    h(
      "p",
      { class: "ends" },
      h("span", {}, from.title),
      h("span", { class: "soft" }, "to"),
      h("span", {}, to.title),
    ),
    h(
      "p",
      {},
      h("code", {}, said.traffic),
      families.length === 1 ? h("span", { class: "soft" }, ` ${families[0]}`) : null,
    ),
    h("p", { class: "soft" }, said.deciders),
    h(
      "details",
      {},
      h("summary", {}, "Who they are"),
      h("div", { class: "members" }, members("from", from, totals.from), members("to", to, totals.to)),
    ),
    isAskable(example.protocol) &&
      h(
        "p",
        {},
        h(
          "a",
          {
            href: hrefOf({
              ...{ view: "tester", from: example.from, to: example.to, protocol: example.protocol },
              port: example.port === null ? "" : String(example.port),
            }),
          },
          "Test an example of it",
        ),
      ),
  );
}

/** @param {string} protocol */
function isAskable(protocol) {
  return ["tcp", "udp", "sctp", "icmp"].includes(protocol);
}

/**
 * @param {string} word
 * @param {import("../../plan/titles/ends-shown.ts").Ends} ends
 * @param {number} total
 */
function members(word, { pods, workloads, addresses }, total) {
  const all = [...pods, ...workloads.map((one) => `${refName(one)} (${one.kind})`), ...addresses];
  return h(
    "div",
    {},
    h("p", { class: "towards" }, word),
    h(
      "ul",
      {},
      all.map((name) => h("li", {}, name)),
      total > all.length && h("li", { class: "soft" }, `and ${total - all.length} more`),
    ),
  );
}
