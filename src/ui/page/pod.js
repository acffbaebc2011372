// The pod's view: what applies to one pod, or to pods of a workload, tier by tier, both directions; rules that never decide are grey with the reason.

import { ask } from "./api.js";
import { tierColumns } from "./cards.js";
import { fill, h } from "./dom.js";
import { neverDecides } from "./findings.js";
import { endLink, kindName, namespaceLink, policyLink } from "./links.js";
import { picker } from "./picker.js";
import { go, hrefOf } from "./url.js";
import { refKey, sides } from "./words.js";

/** @typedef {import("../shown.ts").PodShown} PodShown */
/** @typedef {import("../../lint/finding.ts").Finding} Finding */

/** @type {import("./main.js").View} */
export async function podView(state, context) {
  const pod = state.pod ?? "";
  const search = picker({
    name: "pod",
    label: "Pod or workload",
    hint: "namespace, name or address",
    value: pod,
    large: pod === "",
    taken: (text) => {
      if (text !== "") go({ view: "pod", pod: text });
    },
  });
  if (pod === "") return start(search, context);
  const told = await ask("pod", state.all === "yes" ? { pod, limit: 2000 } : { pod });
  return {
    title: told.pod,
    said: `${told.pod}: ${told.egress.length} egress and ${told.ingress.length} ingress rules are shown`,
    elements: [search, h("h1", { class: "name" }, told.pod), facts(told), rulesOf(told, state, context)],
  };
}

/**
 * The rules of one pod or workload; what lint says of them comes later.
 * @param {PodShown} told
 * @param {import("./url.js").State} state
 * @param {import("./main.js").Context} context
 */
export function rulesOf(told, state, context) {
  const body = h("div", { class: "rules" });
  draw(body, told, new Map(), state);
  if (context.state.has.findings && !told.exempt)
    context.later(async () => {
      const policies = [
        ...new Set([...told.egress, ...told.ingress].map((rule) => refKey(rule.policy))),
      ].slice(0, 200);
      const { policies: found, revision, isMaking } = await ask("findings", { policy: policies });
      if (!isMaking)
        draw(body, told, new Map(found.map((/** @type {any} */ one) => [one.key, one.findings])), state);
      return revision;
    });
  return body;
}

/**
 * @param {HTMLElement} search
 * @param {import("./main.js").Context} context
 */
async function start(search, context) {
  const { pods, total } = await ask("pods", { limit: 8 });
  return {
    title: "Pod",
    said: "",
    elements: [
      h(
        "div",
        { class: "start" },
        h("h1", {}, "Which policies apply to a pod?"),
        h(
          "p",
          { class: "lead" },
          "Search for one, and see every rule that applies to it in the order of evaluation.",
        ),
        search,
        pods.length > 0 &&
          h("h2", { class: "small" }, total > pods.length ? "Or begin with one of these" : "Or choose one"),
        h(
          "ul",
          { class: "links" },
          pods.map((/** @type {any} */ one) =>
            h("li", {}, h("a", { href: hrefOf({ view: "pod", pod: one.pod }) }, one.title)),
          ),
        ),
        pods.length === 0 &&
          h("p", { class: "quiet" }, `There are no pods and no workloads in ${context.state.from}.`),
      ),
    ],
  };
}

/** @param {PodShown} told */
function facts({ pod, end, ips, node, exempt, group }) {
  return h(
    "p",
    { class: "facts" },
    h("span", {}, ips.length === 0 ? "no address yet" : ips.join("  ")),
    h("span", {}, "in ", namespaceLink(pod.slice(0, pod.indexOf("/")))),
    group !== null && h("span", {}, "of ", endLink(group.end, group.title)),
    h("span", {}, node === null ? "on no node" : `on ${node}`),
    !exempt && h("a", { href: hrefOf({ view: "tester", from: end }) }, "Test a connection from it"),
    !exempt && h("a", { href: hrefOf({ view: "tester", to: end }) }, "to it"),
  );
}

/**
 * Tier by tier, both directions.
 * @param {HTMLElement} body
 * @param {PodShown} told
 * @param {ReadonlyMap<string, readonly Finding[]>} found by the key of the policy
 * @param {import("./url.js").State} state
 */
function draw(body, told, found, state) {
  if (told.exempt) {
    fill(body, h("p", { class: "lead" }, "Policies do not apply to it: it is not on the pod network."));
    return;
  }
  const kept = new Set(told.refused.map(({ policy }) => refKey(policy)));
  fill(
    body,
    told.refused.map((one) => h("p", { class: "caveat" }, h("b", {}, one.state), " ", refusedText(one))),
    /** @type {const} */ (["ingress", "egress"]).map((direction) => {
      const cards = told[direction].map((rule) => {
        const card = cardOf(rule, found.get(refKey(rule.policy)) ?? []);
        return kept.has(refKey(rule.policy)) ? { ...card, remark: keptRemark } : card;
      });
      return h(
        "section",
        { class: "side", "data-key": direction, "data-side": direction },
        h("h2", {}, sides[direction].title, h("span", {}, sides[direction].what)),
        tierColumns(cards, {
          totals: told.totals[direction],
          more: () => {
            go({ ...state, all: "yes" });
          },
        }),
        h("p", { class: "end" }, "What no tier decides is allowed."),
      );
    }),
  );
}

const keptRemark = "its object is refused, and this is what it said before";

/** @param {PodShown["refused"][number]} one */
function refusedText({ policy, state }) {
  const text = state === "kept" ? "what it said before is shown" : "nothing of it is in force";
  return [`${kindName(policy)} `, policyLink(policy), `: its object is refused, and ${text}`];
}

/**
 * @param {import("../../explain/overview.ts").ListedRule} rule
 * @param {readonly Finding[]} findings
 * @returns {import("./cards.js").Card}
 */
function cardOf(rule, findings) {
  const why = neverDecides(rule.rule, findings);
  return why === undefined ? { ...rule, look: "plain" } : { ...rule, look: "shadowed", remark: why.message };
}
