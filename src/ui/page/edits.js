// The objects that an edit adds, changes and removes, below the plan.

import { counted, h } from "./dom.js";
import { refName, verdictMark } from "./words.js";

/** @typedef {import("../shown.ts").PlanShown} Plan */

/** @param {Plan} plan */
export function edits({ objects: { added, changed, removed }, pods, workloads }) {
  const total = added.total + changed.total + removed.total;
  const refs = (/** @type {Plan["objects"]["added"]} */ { total: all, shown }, /** @type {string} */ word) =>
    all > 0 &&
    h(
      "li",
      {},
      `${word}: `,
      shown.map((ref) => `${ref.kind} ${refName(ref)}`).join(", "),
      all > shown.length ? " …" : "",
    );
  return h(
    "section",
    { class: "edits" },
    h("h2", {}, "The edit", h("span", {}, total === 0 ? "no object differs" : counted(total, "object"))),
    h(
      "ul",
      {},
      refs(added, "added"),
      refs(removed, "removed"),
      changed.shown.map((one) =>
        h(
          "li",
          {},
          `changed: ${one.kind} ${refName(one)}`,
          h(
            "ul",
            {},
            one.fields.map(({ field, old, new: next }) =>
              h(
                "li",
                {},
                h("code", {}, field),
                " ",
                h("del", {}, "− ", value(old)),
                " ",
                h("ins", {}, "+ ", value(next)),
              ),
            ),
          ),
        ),
      ),
      [
        { list: pods, word: "pod" },
        { list: workloads, word: "workload" },
      ].map(({ list, word }) => [
        list.added.total > 0 &&
          h("li", {}, `${counted(list.added.total, word)} of the new world only, not judged`),
        list.removed.total > 0 &&
          h("li", {}, `${counted(list.removed.total, word)} of the old world only, not judged`),
      ]),
    ),
  );
}

const actions = ["allow", "deny", "drop", "reject", "pass"];

/**
 * An action has its sign and its colour, on whichever side of the difference it stands.
 * @param {unknown} given
 */
function value(given) {
  if (given === undefined) return "nothing";
  if (typeof given === "string" && actions.includes(given.toLowerCase()))
    return verdictMark(given.toLowerCase().replace("drop", "deny"), given);
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
