// Words and names that several views use.

import { h, shape } from "./dom.js";

export const verdictWords = { allow: "allowed", deny: "denied", unknown: "cannot tell" };
const actionWords = { allow: "Allow", deny: "Deny", reject: "Reject", pass: "Pass", unknown: "Unknown" };
export const tierTitles = { admin: "Admin", namespaced: "Namespaced", baseline: "Baseline" };
export const sides = {
  egress: { title: "Egress", what: "what the pod may reach" },
  ingress: { title: "Ingress", what: "who may reach the pod" },
};

/** @param {import("../../analysis/ref.ts").Ref} ref */
export function refName({ namespace, name }) {
  return namespace === null ? name : `${namespace}/${name}`;
}

/**
 * As the server's keys of policies.
 * @param {import("../../analysis/ref.ts").Ref} ref
 */
export function refKey({ group, kind, namespace, name }) {
  return [group === "" ? kind : `${kind}.${group}`, namespace, name]
    .filter((part) => part !== null)
    .join("/");
}

/**
 * A namespace of the plan, or all addresses that no pod has.
 * @param {string} place
 */
export function placeText(place) {
  return place === "no pod" ? "addresses" : place;
}

/** @param {import("../../analysis/ref.ts").RuleRef} rule */
export function ruleAt({ direction, index }) {
  return `${direction}[${index}]`;
}

/**
 * A shape with its word.
 * @param {string} action
 * @param {string} [word]
 */
export function verdictMark(
  action,
  word = actionWords[/** @type {keyof typeof actionWords} */ (action)] ?? action,
) {
  const name = action === "reject" ? "deny" : action;
  return h("span", { class: `verdict ${name}` }, shape(action), h("span", {}, word));
}

/** @param {{ tier: string, tierName?: string | undefined, apiTier?: string | undefined }} step */
export function tierOf({ tier, tierName, apiTier }) {
  return apiTier ?? tierName ?? tier;
}

/** @param {string} tier */
export function tierTitle(tier) {
  return tierTitles[/** @type {keyof typeof tierTitles} */ (tier)] ?? tier;
}
