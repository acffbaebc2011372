// A workload, a Service, or pods by their labels: who may reach it and what it may reach, with the rules that decide; its policies,
// its pods and their rules.

import { ask } from "./api.js";
import { counted, fill, h, shape } from "./dom.js";
import { endLink, namespaceLink, podLink } from "./links.js";
import { policyRows, serviceRows, workloadRows } from "./lists.js";
import { rulesOf } from "./pod.js";
import { reachRows } from "./reach-rows.js";
import { hrefOf } from "./url.js";

/** @typedef {import("../shown/end.ts").EndShown} Told */
/** @typedef {import("../shown/end.ts").EndReachShown} Reach */

/** @type {import("./main.js").View} */
export async function endView(state, context) {
  /** @type {Told} */
  const told = await ask("end", { end: state.end ?? "" });
  const sample = told.sample === null ? null : await ask("pod", { pod: told.sample.end });
  return {
    title: told.title,
    said: `${told.title}: ${counted(told.pods.total, "pod")}, ${counted(told.policies.total, "policy applies", "policies apply")}`,
    revision: told.revision,
    elements: [
      h("h1", { class: "name" }, told.title),
      facts(told),
      told.why !== null && h("p", { class: "problem" }, shape("unknown"), told.why),
      reachOf(told, context),
      policyRows(told.policies),
      told.sort === "service" ? workloadRows(told) : pods(told),
      told.sort !== "service" && serviceRows(told.services),
      sample !== null && rules(told, rulesOf(sample, state, context)),
    ],
  };
}

/** @param {Told} told */
function facts({ end, sort, namespace, pods, exempt, workloads, services }) {
  const [service] = sort === "service" ? services.shown : [];
  return h(
    "p",
    { class: "facts" },
    h("span", {}, "in ", namespaceLink(namespace)),
    service !== undefined && h("span", {}, service.ips.join("  ") || "no address"),
    service?.ports.map((port) => h("span", {}, port)),
    h("span", {}, counted(pods.total, "pod")),
    workloads.total > 0 &&
      h("span", {}, counted(workloads.total, "workload without pods", "workloads without pods")),
    exempt > 0 && h("span", {}, `policies do not apply to ${exempt} of them`),
    sort !== "service" &&
      h("a", { href: hrefOf({ view: "tester", from: end }) }, "Test a connection from it"),
    h("a", { href: hrefOf({ view: "tester", to: end }) }, "to it"),
  );
}

/**
 * @param {Told} told
 * @param {import("./main.js").Context} context
 */
function reachOf({ end, sort, why }, context) {
  if (why !== null) return null;
  const body = h("div", { id: "reach-of" });
  fill(body, h("p", { class: "quiet" }, "Who may reach it is being found out."));
  context.later(async () => {
    /** @type {Reach | { isMaking: true }} */
    const found = await ask("end/reach", { end });
    if (found.isMaking) return "";
    fill(
      body,
      reachRows(found.in, "in", sort === "service" ? "at the ports that it leads to" : "by any protocol"),
      found.out !== null && reachRows(found.out, "out", "by any protocol"),
      found.caveats.shown.map(({ code, text }) => h("p", { class: "caveat" }, h("b", {}, code), ` ${text}`)),
    );
    return found.revision;
  });
  return body;
}

/** @param {Told} told */
function pods({ pods: { total, shown }, workloads, end }) {
  const others = workloads.shown.filter((one) => one.end !== end);
  if (total + others.length === 0) return null;
  return h(
    "section",
    { "aria-label": "Pods" },
    h("h2", {}, "Pods"),
    h(
      "ul",
      { class: "links" },
      shown.map((pod) => h("li", {}, podLink(pod))),
      others.map((one) => h("li", {}, endLink(one.end, one.title))),
    ),
    total > shown.length && h("p", { class: "quiet" }, `${counted(total - shown.length, "pod")} more.`),
  );
}

/**
 * @param {Told} told
 * @param {HTMLElement} body
 */
function rules({ sample }, body) {
  if (sample === null) return null;
  const { end, alike, of } = sample;
  return h(
    "section",
    { "aria-label": "Rules" },
    h(
      "h2",
      {},
      "Rules",
      h("span", {}, alike === of ? "of each of its pods" : `of ${alike} of ${of} of its pods, as `),
      alike === of ? "" : h("span", {}, podLink(end)),
    ),
    body,
  );
}
