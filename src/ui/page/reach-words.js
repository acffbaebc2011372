// What of some traffic is allowed between two places: a sign, a word and a colour.

import { h, shape } from "./dom.js";

/** @typedef {import("../shown/reach.ts").Reach} Reach */

const looks = {
  all: { sign: "allow", look: "allow", word: "all" },
  some: { sign: "part", look: "pass", word: "some" },
  none: { sign: "deny", look: "deny", word: "none" },
  unknown: { sign: "unknown", look: "unknown", word: "cannot tell" },
};

/** @param {Reach} reach */
export function reachTitle(reach) {
  return {
    all: "all is allowed",
    some: "some is allowed",
    none: "nothing is allowed",
    unknown: "cannot tell",
  }[reach];
}

/**
 * Beside the mark: traffic of one kind without the kind.
 * @param {string} text
 */
export function besideMark(text) {
  return text.includes("; ") ? text : text.replace(/^[a-z]+: /, "");
}

/**
 * For a line of a drawing.
 * @param {Reach} reach
 */
export function reachLook(reach) {
  return looks[reach];
}

/**
 * @param {Reach} reach
 * @param {string} [word]
 */
export function reachMark(reach, word = looks[reach].word) {
  const { sign, look } = looks[reach];
  return h(
    "span",
    { class: `verdict ${look}`, "data-reach": reach },
    shape(sign),
    word !== "" && h("span", {}, word),
  );
}
