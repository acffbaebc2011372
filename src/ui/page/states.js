// What a policy is: a sign, a word and a colour, the same in every view.

import { h, shape } from "./dom.js";

/** @typedef {import("../shown.ts").PolicyShown} Policy */

/** @type {Readonly<Record<string, { sign: string, look: string }>>} */
const looks = {
  "in force": { sign: "allow", look: "allow" },
  "in part": { sign: "part", look: "deny" },
  kept: { sign: "kept", look: "deny" },
  refused: { sign: "refused", look: "deny" },
  "not enforced": { sign: "refused", look: "deny" },
  "rows differ": { sign: "part", look: "deny" },
  "not read": { sign: "unknown", look: "unknown" },
  pending: { sign: "pending", look: "pass" },
  inert: { sign: "inert", look: "quiet" },
};

/** A controller says what is in force. */
let isEnforced = false;

/** @param {boolean} hasController */
export function setEnforced(hasController) {
  isEnforced = hasController;
}

/**
 * Where no controller is asked nobody knows whether anything enforces a policy: its object is valid.
 * @param {string} state
 */
function wordOf(state) {
  return state === "in force" && !isEnforced ? "valid" : state;
}

/**
 * As its object says, unless a part of it is in error, or the controller says that it is not in force.
 * @param {Policy} policy
 */
export function stateOf({ state, notInForce, inPart }) {
  if (state === "kept" || state === "refused") return state;
  if (inPart) return "in part";
  if (notInForce === null) return state;
  return notInForce === "Pending" ? "pending" : "not enforced";
}

/**
 * @param {string} state
 * @param {string} [words]
 */
export function stateMark(state, words = wordOf(state)) {
  const { sign, look } = looks[state] ?? { sign: "unknown", look: "unknown" };
  return h("span", { class: `status ${look}`, "data-state": state }, shape(sign), h("span", {}, words));
}
