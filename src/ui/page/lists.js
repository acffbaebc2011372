// Lists of what a namespace, a workload or a Service has: policies, workloads and Services.

import { counted, h } from "./dom.js";
import { endLink, kindName, podLink, policyLink } from "./links.js";
import { stateMark, stateOf } from "./states.js";
import { tierOf, tierTitle } from "./words.js";

/**
 * @param {import("../shown/namespace.ts").NamespaceShown["policies"]} policies
 * @param {string} here
 */
export function policyRows({ total, shown }, here = "") {
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
              : counted(one.selected, `pod or workload${here}`, `pods and workloads${here}`),
          ),
        ),
      ),
    ),
    total > shown.length &&
      h("p", { class: "quiet" }, `${counted(total - shown.length, "policy", "policies")} more.`),
  );
}

/**
 * @param {Pick<import("../shown/namespace.ts").NamespaceShown, "groups" | "workloads">} told
 */
export function workloadRows({ groups, workloads: made }) {
  if (groups.total + made.total === 0) return null;
  return h(
    "section",
    { "aria-label": "Workloads" },
    h("h2", {}, "Workloads"),
    h(
      "ul",
      { class: "rows" },
      groups.shown.map(({ title, end, pods, exempt }) =>
        h(
          "li",
          { "data-key": title },
          h("span", { class: "row-name" }, endLink(end, title)),
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
          h("span", { class: "row-name" }, endLink(end, title)),
          h("span", { class: "quiet" }, "without pods"),
        ),
      ),
    ),
    groups.total > groups.shown.length &&
      h("p", { class: "quiet" }, `${counted(groups.total - groups.shown.length, "workload")} more.`),
  );
}

/** @param {import("../shown/namespace.ts").NamespaceShown["services"]} services */
export function serviceRows({ total, shown }) {
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
          h("span", { class: "row-name" }, endLink(end, name)),
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
