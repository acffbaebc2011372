// A namespace: which policies apply to its pods, its workloads and Services, and who may reach it.

import { ask } from "./api.js";
import { counted, fill, h } from "./dom.js";
import { kindName, namespaceLink, podLink, policyLink } from "./links.js";
import { besideMark, reachMark } from "./reach-words.js";
import { stateMark, stateOf } from "./states.js";
import { hrefOf } from "./url.js";
import { tierOf, tierTitle } from "./words.js";

/** @typedef {import("../shown/namespace.ts").NamespaceShown} Told */
/** @typedef {import("../shown/reach.ts").NeighboursShown} Neighbours */

/** @type {import("./main.js").View} */
export async function namespaceView(state, context) {
  const { namespace = "" } = state;
  /** @type {Told} */
  const told = await ask("namespace", { namespace });
  const neighbours = h("div", { id: "neighbours" });
  if (context.state.has.matrix) {
    fill(neighbours, h("p", { class: "quiet" }, "Who may reach it is being found out."));
    context.later(async () => {
      /** @type {Neighbours | { isMaking: true }} */
      const found = await ask("matrix/of", { namespace });
      if (found.isMaking) return "";
      fill(neighbours, neighbourTable(found, told.name));
      return found.revision;
    });
  } else
    fill(
      neighbours,
      h("p", { class: "quiet" }, "Who may reach it is not made here: ask northgate matrix, or northgate ui."),
    );
  return {
    title: told.name,
    said: `${told.name}: ${counted(told.pods, "pod")}, ${counted(told.policies.total, "policy applies", "policies apply")}`,
    revision: told.revision,
    elements: [
      h("h1", { class: "name" }, told.name),
      facts(told),
      policies(told),
      workloads(told),
      services(told),
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

/** @param {Told} told */
function policies({ policies: { total, shown } }) {
  return h(
    "section",
    { "aria-label": "Policies" },
    h(
      "h2",
      {},
      "Policies",
      h(
        "span",
        {},
        total === 0 ? "none applies to its pods" : "that apply to its pods, in the order of evaluation",
      ),
    ),
    h(
      "ul",
      { class: "rows" },
      shown.map((one) =>
        h(
          "li",
          { "data-key": one.key },
          stateMark(stateOf(one)),
          h(
            "span",
            { class: "row-name" },
            policyLink(one.policy),
            " ",
            h("span", { class: "quiet" }, kindName(one.policy)),
          ),
          h(
            "span",
            { class: "quiet" },
            tierTitle(tierOf(one)),
            one.priority === null ? "" : `, priority ${one.priority}`,
          ),
          h(
            "span",
            { class: "quiet" },
            one.selected === null
              ? "pods not known"
              : counted(one.selected, "pod or workload here", "pods and workloads here"),
          ),
        ),
      ),
    ),
    total > shown.length &&
      h("p", { class: "quiet" }, `${counted(total - shown.length, "policy", "policies")} more.`),
  );
}

/** @param {Told} told */
function workloads({ groups, workloads: made }) {
  if (groups.total + made.total === 0) return null;
  return h(
    "section",
    { "aria-label": "Workloads" },
    h("h2", {}, "Workloads"),
    h(
      "ul",
      { class: "rows" },
      groups.shown.map(({ title, pods, exempt }) =>
        h(
          "li",
          { "data-key": title },
          h("span", { class: "row-name" }, title),
          h(
            "span",
            { class: "quiet" },
            counted(pods.total, "pod"),
            exempt > 0 ? `, ${exempt} without policies` : "",
          ),
          h(
            "span",
            { class: "row-links" },
            pods.shown.map((pod) => podLink(pod, pod.slice(pod.indexOf("/") + 1))),
          ),
          pods.total > pods.shown.length &&
            h("span", { class: "quiet" }, `and ${pods.total - pods.shown.length} more`),
        ),
      ),
      made.shown.map(({ end, title }) =>
        h(
          "li",
          { "data-key": end },
          h("span", { class: "row-name" }, podLink(end, title)),
          h("span", { class: "quiet" }, "without pods"),
        ),
      ),
    ),
    groups.total > groups.shown.length &&
      h("p", { class: "quiet" }, `${counted(groups.total - groups.shown.length, "workload")} more.`),
  );
}

/** @param {Told} told */
function services({ services: { total, shown } }) {
  if (total === 0) return null;
  return h(
    "section",
    { "aria-label": "Services" },
    h("h2", {}, "Services"),
    h(
      "ul",
      { class: "rows" },
      shown.map(({ name, end, ips, ports }) =>
        h(
          "li",
          { "data-key": name },
          h("span", { class: "row-name" }, h("a", { href: hrefOf({ view: "tester", to: end }) }, name)),
          h(
            "span",
            { class: "quiet" },
            [ips.join(" ") || "no address", ports.join(", ")].filter(Boolean).join(", "),
          ),
        ),
      ),
    ),
    total > shown.length && h("p", { class: "quiet" }, `${counted(total - shown.length, "Service")} more.`),
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
