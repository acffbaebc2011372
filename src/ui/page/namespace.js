// A namespace: which policies apply to its pods, its workloads and Services, and who may reach it.

import { ask } from "./api.js";
import { counted, fill, h } from "./dom.js";
import { graphSection } from "./graph.js";
import { namespaceLink } from "./links.js";
import { policyRows, serviceRows, workloadRows } from "./lists.js";
import { besideMark, reachMark } from "./reach-words.js";

/** @typedef {import("../shown/namespace.ts").NamespaceShown} Told */
/** @typedef {import("../shown/reach.ts").NeighboursShown} Neighbours */

/** @type {import("./main.js").View} */
export async function namespaceView(state, context) {
  const { namespace = "" } = state;
  /** @type {Told} */
  const told = await ask("namespace", { namespace });
  const hasEnds = told.groups.total + told.workloads.total > 0;
  const neighbours = h("div", { id: "neighbours" });
  fill(neighbours, h("p", { class: "quiet" }, "Who may reach it is being found out."));
  context.later(async () => {
    /** @type {Neighbours | { isMaking: true }} */
    const found = await ask("matrix/of", { namespace });
    if (found.isMaking) return "";
    fill(neighbours, neighbourTable(found, told.name));
    return found.revision;
  });
  return {
    title: told.name,
    said: `${told.name}: ${counted(told.pods, "pod")}, ${counted(told.policies.total, "policy applies", "policies apply")}`,
    revision: told.revision,
    elements: [
      h("h1", { class: "name" }, told.name),
      facts(told),
      policyRows(told.policies, " here"),
      workloadRows(told),
      serviceRows(told.services),
      hasEnds && graphSection(state, context, "its workloads, and what is beside them"),
      h(
        "section",
        { "aria-label": "Neighbours" },
        h("h2", {}, "Neighbours", h("span", {}, "what it may reach, and what may reach it")),
        neighbours,
      ),
    ],
  };
}

/** @param {Told} told */
function facts({ pods, labels, isUnread }) {
  return h(
    "p",
    { class: "facts" },
    h("span", {}, counted(pods, "pod")),
    isUnread && h("span", {}, "its Namespace was not read: other labels are not known"),
    labels.shown.map((label) => h("code", {}, label)),
    labels.total > labels.shown.length && h("span", {}, `and ${labels.total - labels.shown.length} more`),
  );
}

/**
 * @param {Neighbours} found
 * @param {string} own
 */
function neighbourTable({ total, shown }, own) {
  if (total === 0)
    return h("p", { class: "quiet" }, "None of its pods has an address, so that nothing reaches it.");
  const side = (/** @type {Neighbours["shown"][number]["in"]} */ one, /** @type {string} */ label) =>
    h(
      "td",
      { role: "cell", "data-label": label },
      one === null
        ? h("span", { class: "quiet" }, "no connection")
        : [reachMark(one.reach), " ", h("span", { class: "traffic" }, besideMark(one.text))],
    );
  return [
    h(
      "div",
      { class: "wide" },
      h(
        "table",
        { class: "order neighbours", role: "table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Namespace", "May reach this one", "This one may reach it"].map((name) =>
              h("th", { scope: "col" }, name),
            ),
          ),
        ),
        h(
          "tbody",
          { role: "rowgroup" },
          shown.map(({ place: { name }, in: arriving, out }) =>
            h(
              "tr",
              { role: "row", "data-key": name },
              h(
                "th",
                { scope: "row", role: "rowheader" },
                name === own ? "itself" : name.startsWith("(") ? name : namespaceLink(name),
              ),
              side(arriving, "may reach this one:"),
              side(out, "this one may reach it:"),
            ),
          ),
        ),
      ),
    ),
    total > shown.length && h("p", { class: "quiet" }, `${counted(total - shown.length, "namespace")} more.`),
  ];
}
