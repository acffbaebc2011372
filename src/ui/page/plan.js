// The plan: what changes, worst first; the part of it that somebody looks for; namespaces against namespaces with the classes of
// the open cell beside them; and the edit. What is looked for is in the address.

import { ask } from "./api.js";
import { classList } from "./classes.js";
import { counted, h } from "./dom.js";
import { edits } from "./edits.js";
import { matrix } from "./matrix.js";
import { go, hrefOf } from "./url.js";
import { verdictMark, verdictWords } from "./words.js";

/** @typedef {import("../shown.ts").PlanShown} Plan */
/** @typedef {import("../shown.ts").ClassesShown} Classes */
/** @typedef {import("./url.js").State} State */

const words = { allow: "allowed", deny: "denied", unknown: "unknown" };
const title = "What the edit changes";

/** @type {import("./main.js").View} */
export async function planView(state) {
  /** @type {Plan | import("../shown.ts").Making} */
  const plan = await ask("plan", questionOf(state));
  if (plan.isMaking) {
    const text = "The two worlds are being compared…";
    return {
      title: "Plan",
      said: text,
      revision: "",
      elements: [h("h1", {}, title), h("p", { class: "lead" }, text)],
    };
  }
  const classes = isOpen(state) ? await ask("plan/classes", cellOf(state)) : null;
  return planDrawn(plan, classes, { ...state, view: "plan" });
}

/** @param {State} state */
export function isOpen({ from = "", to = "" }) {
  return from !== "" && to !== "";
}

/** What the address says of the part that is shown. @param {State} state */
export function questionOf({ becomes = "", namespace = "", policy = "", row = "", column = "", lines = "" }) {
  const given = Object.entries({ becomes, namespace, policy, row, column, lines });
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

/** What the address says of the open cell, whichever window it is in. @param {State} state */
export function cellOf({ becomes = "", policy = "", from = "", to = "" }) {
  return { ...questionOf({ becomes, policy }), from, to };
}

/**
 * @param {Plan} plan
 * @param {Classes | null} classes of the open cell
 * @param {State} state
 * @returns {import("./main.js").Drawn}
 */
export function planDrawn(plan, classes, state) {
  const { from = "", to = "" } = state;
  const sentence = sentenceOf(plan);
  const part = counted(plan.part.classes, "class", "classes");
  const isPart = ["becomes", "namespace", "policy"].some((name) => (state[name] ?? "") !== "");
  return {
    title: classes === null ? "Plan" : `Plan: ${from} to ${to}`,
    said:
      classes !== null
        ? `${from} to ${to}: ${counted(classes.total, "class", "classes")}`
        : isPart
          ? `${part} in this part`
          : sentence,
    revision: plan.revision,
    elements: [
      h("h1", {}, title),
      h("p", { class: "lead" }, sentence),
      h(
        "p",
        { class: "facts" },
        h("span", {}, `against ${plan.against}`),
        plan.rows !== null && h("span", {}, rowsText(plan.rows)),
      ),
      plan.caveats.map(({ code, text }) => h("p", { class: "caveat" }, h("b", {}, code), ` ${text}`)),
      plan.verdicts.total > 0 && filters(plan, state),
      lines(plan.lines, state),
      plan.verdicts.total > 0 &&
        plan.matrix.totals.cells === 0 &&
        h("p", { class: "quiet" }, "Nothing changes in this part."),
      plan.matrix.totals.cells > 0 &&
        h(
          "div",
          { class: classes === null ? "cells" : "cells open" },
          matrix(plan.matrix, state),
          classes !== null && classList(classes, state),
        ),
      edits(plan),
    ],
  };
}

/** @param {Plan} plan */
function sentenceOf({ verdicts }) {
  if (verdicts.total === 0) return "No verdict of any connection differs.";
  const parts = Object.entries(verdicts.counts)
    .sort(([a], [b]) => harmOf(a) - harmOf(b))
    .map(([change, count]) => {
      const [old = "", next = ""] = change.split(" → ");
      return `${counted(count, "class", "classes")} of connections from ${wordOf(old)} to ${wordOf(next)}`;
    });
  return `${parts.join(parts.length > 2 ? "; " : ", and ")}.`;
}

/** @param {string} change */
function harmOf(change) {
  return Object.keys(becoming).indexOf(change.split(" → ")[1] ?? "");
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

/** Worst first. */
const becoming = { deny: "newly denied", allow: "newly allowed", unknown: "now unknown" };

/**
 * The parts of the plan: by what connections come to be, by namespace, by policy.
 * @param {Plan} plan
 * @param {State} state
 */
function filters({ verdicts }, state) {
  const rest = { ...state, from: "", to: "", row: "", column: "", lines: "" };
  const countOf = (/** @type {string} */ verdict) =>
    Object.entries(verdicts.counts).reduce(
      (sum, [change, count]) => (change.endsWith(`→ ${verdict}`) ? sum + count : sum),
      0,
    );
  const link = (
    /** @type {string} */ becomes,
    /** @type {readonly import("./dom.js").Child[]} */ ...children
  ) =>
    h(
      "a",
      {
        href: hrefOf({ ...rest, becomes }),
        "data-key": becomes,
        "aria-current": (state.becomes ?? "") === becomes ? "true" : null,
      },
      children,
    );
  const field = (/** @type {"namespace" | "policy"} */ name, /** @type {string} */ label) =>
    h(
      "div",
      { class: "field" },
      h("label", { for: `part-${name}` }, label),
      h("input", {
        ...{ id: `part-${name}`, name, type: "search", value: state[name] ?? "", autocomplete: "off" },
        placeholder: "a part of its name",
      }),
    );
  return [
    h(
      "nav",
      { class: "turns", "aria-label": "What connections come to be" },
      link("", `all ${verdicts.total.toLocaleString("en")}`),
      Object.entries(becoming)
        .filter(([verdict]) => countOf(verdict) > 0)
        .map(([verdict, text]) =>
          link(verdict, verdictMark(verdict, `${text} ${countOf(verdict).toLocaleString("en")}`)),
        ),
    ),
    h(
      "form",
      {
        class: "question",
        onsubmit: (/** @type {Event & { currentTarget: HTMLFormElement }} */ event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          const given = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
          go({ ...rest, namespace: given("namespace"), policy: given("policy") });
        },
      },
      field("namespace", "Namespace, at either end"),
      field("policy", "Policy that decides, before or after"),
      h("button", { type: "submit" }, "Show"),
    ),
  ];
}

/**
 * @param {Plan["lines"]} list
 * @param {State} state
 */
function lines({ total, shown }, state) {
  if (total === 0) return null;
  return h(
    "section",
    { class: "turned" },
    h("h2", {}, "What changes", h("span", {}, `${counted(total, "change")}, worst first`)),
    h(
      "ol",
      {},
      shown.map(({ old, new: next, from, to, traffic, causes, effects }) =>
        h(
          "li",
          { class: `turn ${next}-edge` },
          h(
            "p",
            { class: "change" },
            verdictMark(next, becoming[next]),
            h("span", { class: "soft" }, `was ${verdictWords[old]}`),
          ),
          h("p", {}, from, h("span", { class: "soft" }, " → "), to, " ", h("code", {}, traffic)),
          effects.map((text) => h("p", { class: "effect" }, text)),
          causes.map((text) => h("p", { class: "soft" }, text)),
        ),
      ),
    ),
    total > shown.length &&
      h(
        "p",
        {},
        shown.length < 200
          ? h("a", { href: hrefOf({ ...state, lines: "200" }) }, `${total - shown.length} more`)
          : `${total - shown.length} more are not shown; northgate plan has all.`,
      ),
  );
}
