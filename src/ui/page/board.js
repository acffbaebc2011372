// The board: tiers as columns in the order of evaluation, policies as cards, every card a link to its policy.

import { counted, h } from "./dom.js";
import { kindName, policyHref } from "./links.js";
import { stateMark, stateOf } from "./states.js";
import { hrefOf } from "./url.js";
import { refName, tierOf, tierTitle } from "./words.js";

/** @typedef {import("../shown/board.ts").BoardShown} Board */
/** @typedef {import("../shown/board.ts").BoardCard} Card */
/** @typedef {import("../../lint/finding.ts").Finding} Finding */

/**
 * @param {Board} board
 * @param {ReadonlyMap<string, readonly Finding[]>} found by the key of the policy
 */
export function boardColumns({ tiers }, found) {
  return h(
    "ol",
    { class: "tiers" },
    tiers.map(({ total, policies, ...of }, at) =>
      column(
        h("h3", {}, h("span", { class: "step" }, at + 1), tierTitle(tierOf(of)), count(total)),
        { tier: tierOf(of), isEmpty: total === 0 },
        policies.map((card) => policyCard(card, found.get(card.key) ?? [])),
        total > policies.length &&
          h(
            "p",
            { class: "quiet" },
            `${counted(total - policies.length, "policy", "policies")} more. `,
            h("a", { href: hrefOf({ view: "order", tier: tierOf(of) }) }, "Show all of the tier"),
          ),
      ),
    ),
  );
}

/** @param {Board} board */
export function unreadColumn({ notRead, notAsked }) {
  if (notRead.total === 0 && notAsked.length === 0) return null;
  return h(
    "section",
    { class: "unread", "aria-label": "Not read" },
    h("h3", {}, "Not read"),
    notAsked.map((sentence) => h("p", { class: "quiet" }, `${sentence}.`)),
    h(
      "ul",
      { class: "cards" },
      notRead.shown.map((ref) =>
        h("li", { class: "card" }, stateMark("not read"), ` ${kindName(ref)} ${refName(ref)}`),
      ),
    ),
    notRead.total > notRead.shown.length &&
      h("p", { class: "quiet" }, `${notRead.total - notRead.shown.length} more are not read.`),
  );
}

/** @param {number} total */
function count(total) {
  return h("span", { class: "quiet" }, total === 0 ? "" : total.toLocaleString("en"));
}

/**
 * @param {HTMLElement} title
 * @param {{ tier: string, isEmpty: boolean }} of
 * @param {readonly HTMLElement[]} cards
 * @param {import("./dom.js").Child} rest
 */
function column(title, { tier, isEmpty }, cards, rest) {
  return h(
    "li",
    { class: isEmpty ? "tier none" : "tier", "data-key": tier, "data-tier": tier },
    title,
    isEmpty ? h("p", { class: "quiet" }, "no policy") : h("ol", { class: "cards" }, cards),
    rest,
  );
}

/**
 * @param {Card} card
 * @param {readonly Finding[]} findings
 */
function policyCard(card, findings) {
  const { order, policy, priority, subject, met, key } = card;
  const state = stateOf(card);
  const open = findings.filter(({ suppressed }) => suppressed === null).length;
  return h(
    "li",
    { class: "card policy-card", "data-key": key, "data-shown": state },
    h(
      "p",
      { class: "head" },
      stateMark(state),
      priority !== null && h("span", { class: "at" }, `priority ${priority}`),
    ),
    h("p", { class: "name" }, h("a", { href: policyHref(policy) }, refName(policy))),
    h("p", { class: "kind" }, kindName(policy)),
    h(
      "ul",
      { class: "peers" },
      subject.shown.map((text) => h("li", {}, text)),
      subject.total > subject.shown.length &&
        h("li", { class: "quiet" }, `and ${subject.total - subject.shown.length} more`),
    ),
    h(
      "p",
      { class: "kind" },
      [`number ${order}`, podsText(card), rulesText(card)].filter(Boolean).join(" · "),
    ),
    met !== null && h("p", { class: "kind met" }, met),
    open > 0 && h("p", { class: "kind found" }, counted(open, "finding")),
  );
}

/** @param {Card} card */
function podsText({ subjects, workloads }) {
  if (subjects === null || workloads === null) return "";
  const pods = subjects > 0 || workloads === 0 ? counted(subjects, "pod") : "";
  return [pods, workloads > 0 ? counted(workloads, "workload") : ""].filter(Boolean).join(", ");
}

/** @param {Card} card */
function rulesText({ rules: { ingress, egress }, state }) {
  if (state === "refused" || state === "not read") return "";
  return `${ingress} ingress, ${egress} egress`;
}
