// Elements out of data. Text becomes text nodes and nothing else, so that no name is ever read as HTML; characters that cannot
// be seen are written by their numbers, as on a terminal.

import { setChildren, setDrawn, setListener, shown } from "./patch.js";

/** @typedef {Node | string | number | null | undefined | false | readonly unknown[]} Child */
/** @typedef {Readonly<Record<string, string | number | boolean | null | undefined | ((event: any) => void)>>} Attributes */

const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** @param {string} text */
export function visible(text) {
  return text.replace(invisible, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * `onclick` and its like are listeners, which take what they need from their event (patch.js); true is an attribute without a
 * value, null and false none.
 * @param {string} tag
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  assign(element, attributes);
  element.append(...nodesOf(children));
  return element;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
function assign(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") setListener(element, name.slice(2), value);
    else if (value === true) setDrawn(element, name, "");
    else if (value !== null && value !== undefined && value !== false)
      setDrawn(element, name, visible(String(value)));
  }
}

/**
 * @param {readonly Child[]} children
 * @returns {Node[]}
 */
function nodesOf(children) {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    if (Array.isArray(child)) return nodesOf(child);
    return [child instanceof Node ? child : document.createTextNode(visible(String(child)))];
  });
}

/**
 * What the element holds becomes this; what is there already is not touched. Of an element of an earlier drawing it is the one
 * that is shown for it.
 * @param {Element} element
 * @param {readonly Child[]} children
 */
export function fill(element, ...children) {
  setChildren(shown(element), nodesOf(children));
}

const space = "http://www.w3.org/2000/svg";

/** Each verdict has a shape of its own: a round one lets through, an eight-cornered one stops. */
const shapes = {
  allow: ["M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2Z", "m5 8.2 2.1 2.1L11 6.2"],
  deny: ["M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2Z", "M4.8 8h6.4"],
  pass: ["M2.4 1.8h7.4L15 8l-5.2 6.2H2.4L6.6 8Z", "M0 0"],
  part: ["M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2Z", "M8 2.4v11.2M10.4 4v8M12.6 6v4"],
  kept: ["M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2Z", "M6.2 5v6M9.8 5v6"],
  refused: ["M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2Z", "m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8"],
  pending: ["M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2Z", "M8 4.6V8l2.4 2"],
  inert: ["M3.4 5.2h9.2v5.6H3.4Z", "M5.4 8h5.2"],
  unknown: ["M8 .8 15.2 8 8 15.2.8 8Z", "M6.3 6.6a1.8 1.8 0 1 1 2.5 1.6q-.8.4-.8 1.1m0 1.9v.1"],
};

/**
 * An element of a drawing.
 * @param {string} tag
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 * @returns {SVGElement}
 */
export function v(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(space, tag));
  assign(element, attributes);
  element.append(...nodesOf(children));
  return element;
}

/**
 * Beside a word that says the same, so that it is hidden from screen readers.
 * @param {string} verdict
 * @param {Attributes} [at] its place in a drawing
 */
export function shape(verdict, at = {}) {
  const name = verdict === "reject" ? "deny" : verdict;
  const [outline = "", sign = ""] = shapes[/** @type {keyof typeof shapes} */ (name)] ?? shapes.unknown;
  return v(
    "svg",
    { viewBox: "0 0 16 16", class: "shape", "aria-hidden": "true", focusable: "false", ...at },
    v("path", { class: "outline", d: outline }),
    v("path", { class: "sign", d: sign }),
  );
}

/**
 * "1 pod", "2 pods", "2 policies".
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
