// Every policy of every kind in the order of evaluation, fifty at a time, with what lint found.

import { ask } from "./api.js";
import { counted, fill, h } from "./dom.js";
import { go, hrefOf } from "./url.js";
import { refName, ruleAt, tierOf, tierTitle } from "./words.js";

/** @typedef {import("../../lint/finding.ts").Finding} Finding */
/** @typedef {import("../shown.ts").PoliciesShown} Policies */

const page = 50;
const severities = /** @type {const} */ (["error", "warning", "info"]);

/** @type {import("./main.js").View} */
export async function orderView(state, context) {
  const q = state.q ?? "";
  const offset = Math.max(0, Number(state.offset ?? "0") || 0);
  /** @type {Policies} */
  const list = await ask("policies", { q, offset, limit: page });
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
      filter(q),
      h("p", { class: "facts" }, h("span", {}, q === "" ? count : `${count} with “${q}”`)),
      h(
        "div",
        { class: "wide", tabindex: "0", role: "region", "aria-label": "Policies" },
        h("table", { class: "order", role: "table" }, head(findings), body),
      ),
      pages(state, list),
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

/** @param {string} q */
function filter(q) {
  return h(
    "form",
    {
      class: "question",
      onsubmit: (/** @type {Event & { currentTarget: HTMLFormElement }} */ event) => {
        event.preventDefault();
        go({ view: "order", q: String(new FormData(event.currentTarget).get("q")).trim() });
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
        h("span", { class: "name" }, refName(policy)),
        h("span", { class: "kind" }, policy.kind),
        place !== null && h("span", { class: "place" }, place),
      ),
      h("td", { role: "cell" }, tier),
      cell("Priority", priority ?? "–"),
      cell("Pods", subjectsText(one)),
      cell("Ingress", rules.ingress),
      cell("Egress", rules.egress),
      h("td", { role: "cell", class: `state ${state.replaceAll(" ", "-")}` }, state),
      hasFindings &&
        h(
          "td",
          { role: "cell", class: "lint" },
          found === null ? h("span", { class: "soft" }, "looking…") : marks(found.get(key) ?? []),
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
 * As its object says, unless the controller says that it is not in force.
 * @param {Policies["policies"][number]} policy
 */
function stateOf({ state, notInForce }) {
  if (notInForce === null || state === "kept" || state === "refused") return state;
  return notInForce === "Pending" ? "pending" : "not enforced";
}

/**
 * On a narrow screen rows are blocks, and the label stands before the number: roles keep the table a table.
 * @param {string} label
 * @param {string | number} value
 */
function cell(label, value) {
  return h("td", { role: "cell", class: "number", "data-label": label }, value);
}

/** @param {readonly Finding[]} findings */
function marks(findings) {
  const open = findings.filter(({ suppressed }) => suppressed === null);
  if (open.length === 0) return h("span", { class: "soft" }, "nothing found");
  const counts = severities.flatMap((severity) => {
    const count = open.filter((one) => one.severity === severity).length;
    return count === 0
      ? []
      : [
          h(
            "span",
            { class: `mark ${severity}` },
            counted(count, severity, severity === "info" ? "info" : `${severity}s`),
          ),
        ];
  });
  return h(
    "details",
    {},
    h("summary", {}, counts),
    h(
      "ul",
      { class: "findings" },
      open.map(({ id, severity, rule, message, fix }) =>
        h(
          "li",
          {},
          h("p", {}, h("b", {}, `${id} ${severity}`), rule === null ? "" : ` ${ruleAt(rule)} ${rule.name}`),
          h("p", {}, message),
          fix !== "" && h("p", { class: "soft" }, `fix: ${fix}`),
        ),
      ),
    ),
  );
}

/**
 * @param {import("./url.js").State} state
 * @param {Policies} list
 */
function pages(state, { total, offset, policies }) {
  if (total <= policies.length && offset === 0) return null;
  const link = (/** @type {number} */ to, /** @type {string} */ text) =>
    h("a", { href: hrefOf({ ...state, offset: to === 0 ? "" : String(to) }) }, text);
  const last = offset + policies.length;
  return h(
    "nav",
    { class: "pages", "aria-label": "Pages" },
    offset > 0 && link(Math.max(0, offset - page), "Earlier"),
    h(
      "span",
      {},
      total === 0 || last === offset
        ? "none here"
        : `${offset + 1} to ${last} of ${total.toLocaleString("en")}`,
    ),
    last < total && link(last, "Later"),
  );
}
