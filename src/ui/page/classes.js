// The classes of a cell of the plan: who with whom, by which traffic, and who decided before and decides now.

import { counted, h } from "./dom.js";
import { hrefOf } from "./url.js";
import { placeText, refName, verdictMark, verdictWords } from "./words.js";

/** @typedef {import("../shown.ts").ClassShown} ClassShown */

/**
 * @param {import("../shown.ts").ClassesShown} list
 * @param {import("./url.js").State} state of the open cell
 */
export function classList({ total, classes }, state) {
  const { from = "", to = "" } = state;
  return h(
    "section",
    { id: "classes", class: "classes", tabindex: "-1" },
    h("h2", {}, `${placeText(from)} → ${placeText(to)}`, h("span", {}, counted(total, "class", "classes"))),
    h("p", {}, h("a", { href: `${hrefOf({ ...state, from: "", to: "" })}#matrix` }, "Back to the matrix")),
    h("ol", {}, classes.map(classOf)),
    total > classes.length &&
      h(
        "p",
        { class: "quiet" },
        `${counted(total - classes.length, "class is", "classes are")} not shown; northgate plan -o json has all.`,
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
