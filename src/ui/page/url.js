// The view and what it shows are in the address, so that it can be sent to somebody. Names that are empty are left out.

import { exported } from "./exported.js";

/** @typedef {Readonly<Record<string, string>>} State */

/** @returns {State} */
export function stateOfUrl() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

/** @param {State} state */
export function hrefOf(state) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) if (value !== "") query.set(name, value);
  // Relative: the page may be under a path of somebody's choice, or a file.
  return `?${query.toString()}`;
}

/**
 * Goes there as a link does.
 * @param {State} state
 */
export function go(state) {
  if (exported !== null) {
    location.assign(hrefOf(state));
    return;
  }
  history.pushState(null, "", hrefOf(state));
  again();
}

/** Draws the view of the address again, as after an action. */
export function again() {
  dispatchEvent(new PopStateEvent("popstate"));
}
