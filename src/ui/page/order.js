// Every policy of every kind in the order of evaluation, fifty at a time, with what lint found.

import { ask } from "./api.js";
import { counted, fill, h } from "./dom.js";
import { findingMarks } from "./findings.js";
import { kindName, policyLink } from "./links.js";
import { pages } from "./pages.js";
import { stateMark, stateOf } from "./states.js";
import { go, hrefOf } from "./url.js";
import { tierOf, tierTitle } from "./words.js";

/** @typedef {import("../../lint/finding.ts").Finding} Finding */
/** @typedef {import("../shown.ts").PoliciesShown} Policies */

const page = 50;

/** @type {import("./main.js").View} */
export async function orderView(state, context) {
  const { q = "", trouble = "", tier = "" } = state;
  const offset = Math.max(0, Number(state.offset ?? "0") || 0);
  /** @type {Policies} */
  const list = await ask("policies", { q, offset, limit: page, trouble, tier });
  const body = h("tbody", { role: "rowgroup" });
  const { findings } = context.state.has;
  fill(body, rows(list, findings ? null : new Map(), findings));
  if (findings)
    context.later(async () => {
      const { policies, revision, isMaking } = await ask("findings", {
        policy: list.policies.map(({ key }) => key),
      });
      if (!isMaking)
        fill(
          body,
          rows(list, new Map(policies.map((/** @type {any} */ one) => [one.key, one.findings])), true),
        );
      return revision;
    });
  const count = counted(list.total, "policy", "policies");
  return {
    title: "Order",
    said: count,
    elements: [
      h("h1", {}, "Every policy, in the order of evaluation"),
      filter(state),
      h("p", { class: "facts" }, h("span", {}, [count, ...narrowed(state)].join(", ")), all(state)),
      h(
        "div",
        { class: "wide", tabindex: "0", role: "region", "aria-label": "Policies" },
        h("table", { class: "order", role: "table" }, head(findings), body),
      ),
      pages(state, { total: list.total, offset, shown: list.policies.length, size: page }),
      !findings && h("p", { class: "quiet" }, "For mistakes in policies, ask northgate lint."),
    ],
  };
}

/** @param {boolean} findings */
function head(findings) {
  return h(
    "thead",
    {},
    h(
      "tr",
      {},
      [
        "",
        "Policy",
        "Tier",
        "Priority",
        "Pods",
        "Ingress",
        "Egress",
        "State",
        ...(findings ? ["Lint"] : []),
      ].map((name, at) =>
        h(
          "th",
          { scope: "col", class: at >= 3 && at <= 6 ? "number" : null },
          name === "" ? h("span", { class: "unseen" }, "Order") : name,
        ),
      ),
    ),
  );
}

/** @param {import("./url.js").State} state */
function narrowed({ q = "", trouble = "", tier = "" }) {
  return [
    ...(q === "" ? [] : [`with “${q}”`]),
    ...(trouble === "" ? [] : [trouble]),
    ...(tier === "" ? [] : [`of the tier ${tierTitle(tier)}`]),
  ];
}

/** @param {import("./url.js").State} state */
function all(state) {
  return narrowed(state).length > 0 && h("a", { href: hrefOf({ view: "order" }) }, "Show all");
}

/** @param {import("./url.js").State} state */
function filter({ q = "", trouble = "", tier = "" }) {
  return h(
    "form",
    {
      class: "question",
      onsubmit: (/** @type {Event & { currentTarget: HTMLFormElement }} */ event) => {
        event.preventDefault();
        const asked = String(new FormData(event.currentTarget).get("q")).trim();
        go({ view: "order", q: asked, trouble, tier });
      },
    },
    h(
      "div",
      { class: "field" },
      h("label", { for: "filter" }, "Filter"),
      h("input", {
        ...{ id: "filter", name: "q", type: "search", value: q, autocomplete: "off" },
        placeholder: "kind, namespace or name",
      }),
    ),
    h("button", { type: "submit" }, "Filter"),
  );
}

/**
 * @param {Policies} list
 * @param {ReadonlyMap<string, readonly Finding[]> | null} found null: not known yet
 * @param {boolean} hasFindings whether anybody looks for mistakes
 */
function rows({ policies }, found, hasFindings) {
  return policies.map((one) => {
    const { order, policy, priority, rules, place, key } = one;
    const state = stateOf(one);
    const tier = tierTitle(tierOf(one));
    return h(
      "tr",
      { role: "row", "data-key": key, class: state === "in force" ? null : "dim" },
      h("td", { role: "cell", class: "number soft" }, order),
      h(
        "th",
        { scope: "row", role: "rowheader" },
        h("span", { class: "name" }, policyLink(policy)),
        h("span", { class: "kind" }, kindName(policy)),
        place !== null && h("span", { class: "place" }, place),
      ),
      h("td", { role: "cell" }, tier),
      cell("Priority", priority ?? "–"),
      cell("Pods", subjectsText(one)),
      cell("Ingress", rules.ingress),
      cell("Egress", rules.egress),
      h("td", { role: "cell", class: "state" }, stateMark(state)),
      hasFindings &&
        h(
          "td",
          { role: "cell", class: "lint" },
          found === null ? h("span", { class: "soft" }, "looking…") : findingMarks(found.get(key) ?? []),
        ),
    );
  });
}

/** @param {Policies["policies"][number]} policy */
function subjectsText({ subjects, workloads }) {
  if (subjects === null) return "?";
  const parts = [
    (subjects > 0 || !workloads) && subjects.toLocaleString("en"),
    workloads && counted(workloads, "workload"),
  ];
  return parts.filter(Boolean).join(", ");
}

/**
 * On a narrow screen rows are blocks, and the label stands before the number: roles keep the table a table.
 * @param {string} label
 * @param {string | number} value
 */
function cell(label, value) {
  return h("td", { role: "cell", class: "number", "data-label": label }, value);
}
