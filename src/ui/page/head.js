// The head of the page: what is shown, what is pending, what cannot be read, and before every view what is not enforced.

import { counted, fill, h, shape } from "./dom.js";
import { exported } from "./exported.js";

/** @typedef {import("../shown.ts").StateShown} StateShown */

/**
 * The first lines of every view.
 * @param {HTMLElement} first
 * @param {StateShown} state
 */
export function showUnenforced(first, { live }) {
  const lines = live?.unenforced ?? [];
  first.hidden = lines.length === 0;
  fill(
    first,
    lines.map((line) => h("p", { class: "problem" }, shape("unknown"), line)),
  );
}

/**
 * @param {HTMLElement} element
 * @param {StateShown} state
 */
export function showWorld(element, { from, counts, cni, problems, live }) {
  const pending = live?.pending ?? [];
  fill(
    element,
    h(
      "span",
      { title: from },
      [
        (counts.pods > 0 || counts.workloads === 0) && counted(counts.pods, "pod"),
        counts.workloads > 0 && counted(counts.workloads, "workload without pods", "workloads without pods"),
        counted(counts.policies, "policy", "policies"),
        cni !== "ovn" && `network plugin ${cni}`,
      ]
        .filter((part) => part !== false)
        .join(", "),
    ),
    exported !== null && h("span", {}, `as of ${exported.at.slice(0, 16).replace("T", " ")} UTC`),
    live !== null &&
      h(
        "details",
        { class: pending.length > 0 ? "live pending" : "live" },
        h("summary", {}, pending.length > 0 ? `${pending.length} pending` : "nothing pending"),
        h(
          "ul",
          {},
          pending.map((line) => h("li", {}, line)),
        ),
        h(
          "dl",
          {},
          live.counts.map(({ name, value }) => [h("dt", {}, name), h("dd", {}, value.toLocaleString("en"))]),
        ),
      ),
    problems.total > 0 &&
      h(
        "details",
        { class: "problems" },
        h("summary", {}, counted(problems.total, "problem")),
        h(
          "ul",
          {},
          problems.shown.map((line) => h("li", {}, line)),
        ),
      ),
  );
}
