// Links to what a name names: a policy and its rule, a pod or a workload, a namespace. Kinds of one name have their group beside them.

import { h } from "./dom.js";
import { hrefOf } from "./url.js";
import { refKey, refName } from "./words.js";

/** @typedef {import("../../analysis/ref.ts").Ref} Ref */

/** Names of kinds that several API groups have here. */
let shared = /** @type {ReadonlySet<string>} */ (new Set());

/** @param {readonly string[]} kinds */
export function setSharedKinds(kinds) {
  shared = new Set(kinds);
}

/** Policies without an object: what makes them, and what they are for. */
const ownKinds = {
  NorthgateNode: "Northgate’s own rule: a node reaches its own pods",
  NorthgateNodeFirst: "Northgate’s own rule: a node reaches its own pods",
  NorthgateOutside: "Northgate’s own rule: what is outside --ip-range",
  CNI: "the network plugin’s own rule",
};

/** @param {Pick<Ref, "group" | "kind">} ref */
export function kindName({ group, kind }) {
  if (group === "" && kind in ownKinds) return ownKinds[/** @type {keyof typeof ownKinds} */ (kind)];
  return shared.has(kind) && group !== "" ? `${kind}.${group}` : kind;
}

/**
 * @param {Ref} ref
 * @param {{ direction: string, index: number } | null} [rule] to be marked in the object
 */
export function policyHref(ref, rule = null) {
  const at = rule === null ? "" : `${rule.direction}[${rule.index}]`;
  return hrefOf({ view: "policy", policy: refKey(ref), rule: at });
}

/**
 * The name alone of a policy without an object.
 * @param {Ref} ref
 */
export function policyLink(ref) {
  if (ref.group === "") return refName(ref);
  return h("a", { href: policyHref(ref) }, refName(ref));
}

/** @param {Ref} ref */
export function policyWithKind(ref) {
  return h("a", { href: policyHref(ref) }, `${kindName(ref)} ${refName(ref)}`);
}

/**
 * @param {string} end as it is asked for
 * @param {string} [title]
 */
export function podLink(end, title = end) {
  return h("a", { href: hrefOf({ view: "pod", pod: end }) }, title);
}

/**
 * The page of a workload, a Service, or pods by their labels.
 * @param {string | null} end as it is asked for; null: nothing has a page
 * @param {string} title
 */
export function endLink(end, title) {
  return end === null ? title : h("a", { href: endHref(end) }, title);
}

/** @param {string} end */
export function endHref(end) {
  return hrefOf({ view: /^[^/]+\/svc\//.test(end) ? "service" : "workload", end });
}

/** @param {string} name */
export function namespaceLink(name) {
  return h("a", { href: hrefOf({ view: "namespace", namespace: name }) }, name);
}
