// A policy: its object with its rules' lines, what each rule decides or why it does not, its pods, and what is wrong with it.

import { ask } from "./api.js";
import { ruleCard } from "./cards.js";
import { counted, fill, h, shape } from "./dom.js";
import { findingList, neverDecides } from "./findings.js";
import { hitsNote } from "./hits.js";
import { endLink, kindName, namespaceLink, podLink, policyHref } from "./links.js";
import { pages } from "./pages.js";
import { stateMark, stateOf } from "./states.js";
import { hrefOf } from "./url.js";
import { refName, ruleAt, tierOf, tierTitle } from "./words.js";

/** @typedef {import("../shown/policy.ts").PolicyPageShown} Told */
/** @typedef {import("../shown/policy.ts").RuleShown} Rule */
/** @typedef {import("../../lint/finding.ts").Finding} Finding */

const page = 50;

/** @type {import("./main.js").View} */
export async function policyView(state, context) {
  const { policy: key = "", rule = "" } = state;
  const offset = Math.max(0, Number(state.offset ?? "0") || 0);
  /** @type {Told} */
  const told = await ask("policy", { policy: key, offset, limit: state.all === "yes" ? 2000 : 60 });
  const { policy } = told.policy;
  const rules = h("div", { id: "policy-rules" });
  const found = h("section", { class: "found-here", "aria-label": "Findings" });
  const draw = (/** @type {readonly Finding[]} */ findings) => {
    fill(rules, sidesOf(told, findings, state));
  };
  draw([]);
  if (!context.state.has.findings)
    fill(found, h("p", { class: "quiet" }, "For mistakes in policies, ask northgate lint."));
  else
    context.later(async () => {
      const { policies, revision, isMaking } = await ask("findings", { policy: [key] });
      const findings = policies[0]?.findings ?? [];
      if (!isMaking) {
        draw(findings);
        fill(found, findingsOf(findings));
      }
      return revision;
    });
  return {
    title: refName(policy),
    said: `${policy.kind} ${refName(policy)}: ${stateOf(told.policy)}`,
    revision: told.revision,
    elements: [
      h("h1", { class: "name" }, refName(policy)),
      facts(told),
      problemsOf(told),
      h(
        "div",
        { class: "policy-page" },
        h("div", {}, subjectOf(told), rules, h("p", {}, hitsNote(context.state.has.hits)), found),
        h("div", {}, objectOf(told, rule), podsOf(told, { ...state, view: "policy" }, offset)),
      ),
    ],
  };
}

/** @param {Told} told */
function facts({ policy }) {
  const { policy: ref, priority, order, place, state } = policy;
  return h(
    "p",
    { class: "facts" },
    stateMark(stateOf(policy)),
    h("span", {}, kindName(ref)),
    state !== "not read" &&
      h("a", { href: hrefOf({ view: "order", tier: tierOf(policy) }) }, `tier ${tierTitle(tierOf(policy))}`),
    priority !== null && h("span", {}, `priority ${priority}`),
    state !== "not read" && h("span", {}, `number ${order} in the order of evaluation`),
    ref.namespace !== null && h("span", {}, "in ", namespaceLink(ref.namespace)),
    place !== null && h("span", { class: "place" }, place),
  );
}

/** @type {Readonly<Record<string, string>>} */
const stateTexts = {
  kept: "Its object is refused. The rules below are those of the version before, which is in force.",
  refused: "Its object is refused, and nothing of it is in force.",
  "in part": "A part of its object is in error: it is closed or left out, and the rest is in force.",
  inert: "It selects no pod, or none of its rules can match.",
  "not read": "Its kind is not read: no verdict takes it into account.",
};

/** @param {Told} told */
function problemsOf({ policy, problems }) {
  const state = stateOf(policy);
  const why =
    policy.notInForce === null || state === "pending" ? "" : `Not in force as written: ${policy.notInForce}.`;
  const text = [stateTexts[state] ?? "", state === "in force" ? "" : why].filter(Boolean).join(" ");
  return [
    text !== "" && h("p", { class: "problem" }, shape("unknown"), text),
    problems.total > 0 &&
      h(
        "ul",
        { class: "problem-list", "aria-label": "Problems" },
        problems.shown.map(({ severity, field, message, place }) =>
          h(
            "li",
            {},
            h("b", { class: `mark ${severity}` }, severity),
            field !== "" && h("code", {}, field),
            ` ${message} `,
            place !== null && h("span", { class: "place" }, place),
          ),
        ),
        problems.total > problems.shown.length &&
          h("li", { class: "quiet" }, `and ${problems.total - problems.shown.length} more`),
      ),
  ];
}

/** @param {Told} told */
function subjectOf({ subject }) {
  if (subject.total === 0) return null;
  return h(
    "section",
    { "aria-label": "Applies to" },
    h("h2", {}, "Applies to"),
    h(
      "ul",
      { class: "peers" },
      subject.shown.map((text) => h("li", {}, text)),
      subject.total > subject.shown.length &&
        h("li", { class: "quiet" }, `and ${subject.total - subject.shown.length} more`),
    ),
  );
}

/**
 * @param {Told} told
 * @param {readonly Finding[]} findings
 * @param {import("./url.js").State} state
 */
function sidesOf({ policy, rules, isolates }, findings, state) {
  return /** @type {const} */ (["ingress", "egress"]).map((direction) => {
    const { total, shown } = rules[direction];
    if (total === 0 && !isolates[direction]) return null;
    return h(
      "section",
      { class: "side", "data-key": direction, "data-side": direction },
      h("h2", {}, direction === "ingress" ? "Ingress" : "Egress", h("span", {}, counted(total, "rule"))),
      h(
        "ol",
        { class: "cards" },
        shown.map((rule) => ruleCard(cardOf(rule, findings, policy.policy))),
      ),
      total > shown.length &&
        h(
          "p",
          { class: "quiet" },
          `${counted(total - shown.length, "rule")} more. `,
          h("a", { href: hrefOf({ ...state, all: "yes" }) }, "Show all"),
        ),
      isolates[direction] &&
        h("p", { class: "end" }, shape("deny"), "What no rule of its tier allows is denied to its pods."),
    );
  });
}

const openTexts = {
  DomainName: "cannot tell: domain names are not resolved here",
  NotRead: "cannot tell: its object is refused",
  Plugin: "cannot tell: the network plugin leaves it open",
};

/**
 * @param {Rule} rule
 * @param {readonly Finding[]} findings
 * @param {import("./cards.js").Ref} policy
 * @returns {import("./cards.js").Card}
 */
function cardOf(rule, findings, policy) {
  const why = neverDecides(rule.rule, findings);
  const open = rule.unknown === null ? {} : { remark: openTexts[rule.unknown] };
  const line =
    rule.lines === null || rule.rule === null
      ? {}
      : {
          link: {
            href: `${policyHref(policy, rule.rule)}#line-${rule.lines.first}`,
            text: `line ${rule.lines.first}`,
          },
        };
  return why === undefined
    ? { ...rule, ...open, ...line, look: "plain" }
    : { ...rule, ...line, look: "shadowed", remark: why.message };
}

/** @param {readonly Finding[]} findings */
function findingsOf(findings) {
  const open = findings.filter(({ suppressed }) => suppressed === null);
  return [
    h(
      "h2",
      {},
      "Findings",
      h("span", {}, open.length === 0 ? "lint finds nothing" : counted(open.length, "finding")),
    ),
    findingList(open),
  ];
}

/**
 * @param {Told} told
 * @param {string} marked a rule: `ingress[2]`
 */
function objectOf({ object, rules }, marked) {
  if (object === null) return null;
  const rule = [...rules.ingress.shown, ...rules.egress.shown].find(
    (one) => one.rule !== null && ruleAt(one.rule) === marked,
  );
  const lines = rule?.lines ?? null;
  const isMarked = (/** @type {number} */ line) =>
    lines !== null && line >= lines.first && line <= lines.last;
  return h(
    "section",
    { "aria-label": "Object" },
    h("h2", {}, "Object", h("span", {}, lines === null ? "name and spec, as read" : `${marked} is marked`)),
    h(
      "pre",
      { class: "object", tabindex: "0", role: "region", "aria-label": "Object as YAML" },
      object.shown.map((text, at) =>
        h(
          isMarked(at + 1) ? "mark" : "span",
          {
            class: "line",
            id: `line-${at + 1}`,
            tabindex: lines?.first === at + 1 ? "-1" : null,
            "data-line": at + 1,
          },
          text,
        ),
      ),
    ),
    object.total > object.shown.length &&
      h("p", { class: "quiet" }, `${counted(object.total - object.shown.length, "line")} more.`),
  );
}

/**
 * @param {Told} told
 * @param {import("./url.js").State} state
 * @param {number} offset
 */
function podsOf({ pods, workloads, namespaces }, state, offset) {
  if (pods === null) return null;
  const shown = pods.shown.slice(0, page);
  return h(
    "section",
    { "aria-label": "Pods" },
    h("h2", {}, "Pods", h("span", {}, counted(pods.total, "pod"))),
    namespaces.total > 0 &&
      h(
        "p",
        { class: "facts" },
        "of ",
        namespaces.shown.map(({ name, pods: count }) =>
          h("span", {}, namespaceLink(name), ` ${count.toLocaleString("en")}`),
        ),
        namespaces.total > namespaces.shown.length &&
          `and ${namespaces.total - namespaces.shown.length} namespaces more`,
      ),
    h(
      "ul",
      { class: "links" },
      shown.map((pod) => h("li", {}, podLink(pod))),
    ),
    pages(state, { total: pods.total, offset, shown: shown.length, size: page }),
    workloads.total > 0 && [
      h("h3", {}, counted(workloads.total, "workload without pods", "workloads without pods")),
      h(
        "ul",
        { class: "links" },
        workloads.shown.map(({ end, title }) => h("li", {}, endLink(end, title))),
      ),
    ],
  );
}
