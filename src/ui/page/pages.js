// A list that is shown in pieces: where one is, and the pieces before and after.

import { h } from "./dom.js";
import { hrefOf } from "./url.js";

/**
 * null: all of it is shown.
 * @param {import("./url.js").State} state of the address; `offset` says where the piece begins
 * @param {{ total: number, offset: number, shown: number, size: number, name?: string }} list `name`: of the number in the address
 */
export function pages(state, { total, offset, shown, size, name = "offset" }) {
  if (total <= shown && offset === 0) return null;
  const link = (/** @type {number} */ to, /** @type {string} */ text) =>
    h("a", { href: hrefOf({ ...state, [name]: to === 0 ? "" : String(to) }) }, text);
  const last = offset + shown;
  return h(
    "nav",
    { class: "pages", "aria-label": "Pages" },
    offset > 0 && link(Math.max(0, offset - size), "Earlier"),
    h(
      "span",
      {},
      total === 0 || last === offset
        ? "none here"
        : `${(offset + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${total.toLocaleString("en")}`,
    ),
    last < total && link(last, "Later"),
  );
}
