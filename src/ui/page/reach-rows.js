// Who may reach an end, or what it may reach: a line for all connections that the same rules decide, with these rules and an example
// for the tester.

import { counted, h } from "./dom.js";
import { endLink, kindName, policyHref, policyLink } from "./links.js";
import { hrefOf } from "./url.js";
import { refName, ruleAt, verdictMark, verdictWords } from "./words.js";

/** @typedef {import("../shown/end.ts").ReachRow} Row */
/** @typedef {import("../../can/report.ts").Decider} Decider */

const titles = {
  in: { title: "Who may reach it", none: "Nothing has a connection to it." },
  out: { title: "What it may reach", none: "It has a connection to nothing." },
};
const sideWords = { egress: "at the source", ingress: "where it arrives" };
const byWords = {
  default: "no policy decides: allowed",
  exempt: "policies do not apply to this end",
  tie: "policies of equal priority say different things",
};

/**
 * @param {import("../excerpt.ts").Excerpt<Row>} rows
 * @param {"in" | "out"} way
 * @param {string} traffic
 */
export function reachRows({ total, shown }, way, traffic) {
  const { title, none } = titles[way];
  return h(
    "section",
    { "aria-label": title, "data-way": way },
    h("h2", {}, title, h("span", {}, traffic)),
    total === 0
      ? h("p", { class: "quiet" }, none)
      : h(
          "ul",
          { class: "reach-rows" },
          shown.map((row) => rowOf(row, way)),
        ),
    total > shown.length && h("p", { class: "quiet" }, `${counted(total - shown.length, "group")} more.`),
  );
}

/**
 * @param {Row} row
 * @param {"in" | "out"} way
 */
function rowOf(row, way) {
  const { verdict, families, others, own, traffic, egress, ingress, why, example } = row;
  return h(
    "li",
    { "data-key": JSON.stringify([example, traffic]), "data-verdict": verdict },
    h(
      "p",
      { class: "head" },
      verdictMark(verdict, verdictWords[verdict]),
      h("span", {}, traffic),
      families.length === 1 && h("span", { class: "quiet" }, families[0]),
      own !== null &&
        h("span", { class: "quiet" }, `${way === "in" ? "to" : "from"} ${own.pods} of ${own.of} of its pods`),
      exampleLink(example),
    ),
    h(
      "p",
      { class: "who" },
      others.workloads.shown.map((one) => h("span", {}, endLink(one.end, one.title), countText(one))),
      others.workloads.total > others.workloads.shown.length &&
        h("span", { class: "quiet" }, `and ${others.workloads.total - others.workloads.shown.length} more`),
      others.addresses !== "" && h("span", {}, others.addresses),
    ),
    egress !== null && decider("egress", egress),
    ingress !== null && decider("ingress", ingress),
    why.map(({ code, text }) => h("p", { class: "caveat" }, h("b", {}, code), ` ${text}`)),
  );
}

/** @param {import("../shown/end.ts").MemberShown} member */
function countText({ pods, of }) {
  if (of === 0) return h("span", { class: "quiet" }, " without pods");
  return h(
    "span",
    { class: "quiet" },
    pods < of ? ` ${pods} of ${counted(of, "pod")}` : ` ${counted(of, "pod")}`,
  );
}

/**
 * @param {"egress" | "ingress"} side
 * @param {Decider} decider
 */
function decider(side, { verdict, by, policy, rule, tied = [] }) {
  const named =
    policy === undefined
      ? byWords[/** @type {keyof typeof byWords} */ (by)]
      : [
          `${kindName(policy)} `,
          rule === undefined
            ? [policyLink(policy), ": no rule of its tier allows it"]
            : ruleLink(policy, rule),
        ];
  return h(
    "p",
    { class: "decider" },
    h("span", { class: "quiet" }, `${sideWords[side]}: `),
    h("span", { class: verdict }, rule === undefined ? "" : `${rule.word} `),
    named,
    tied.map((one) => [" ", one.rule === null ? policyLink(one.policy) : ruleLink(one.policy, one.rule)]),
  );
}

/**
 * @param {import("../../analysis/ref.ts").Ref} policy
 * @param {import("../../analysis/ref.ts").RuleRef} rule
 */
function ruleLink(policy, rule) {
  const text = `${refName(policy)} ${ruleAt(rule)}${rule.name === "" ? "" : ` “${rule.name}”`}`;
  return policy.group === "" ? text : h("a", { href: policyHref(policy, rule) }, text);
}

/** @param {Row["example"]} example */
function exampleLink({ from, to, protocol, port }) {
  if (!["tcp", "udp", "sctp", "icmp"].includes(protocol)) return null;
  return h(
    "a",
    { href: hrefOf({ view: "tester", from, to, protocol, port: port === null ? "" : String(port) }) },
    "Test an example",
  );
}
