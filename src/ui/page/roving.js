// A matrix is one tab stop: the cell that has the focus is the one that Tab comes back to.

/** Of a table, when the focus comes to one of its links. @param {FocusEvent & { currentTarget: HTMLElement }} event */
export function rove({ currentTarget, target }) {
  if (!(target instanceof HTMLElement) || target.tagName !== "A") return;
  for (const one of currentTarget.querySelectorAll("a")) one.tabIndex = one === target ? 0 : -1;
}
