// A matrix, or a graph, is one tab stop: arrow keys go from cell to cell, and the one that has the focus is the one that Tab comes
// back to.

/** When the focus comes to one of its links. @param {FocusEvent & { currentTarget: Element }} event */
export function rove({ currentTarget, target }) {
  if (!(target instanceof Element) || target.tagName.toLowerCase() !== "a") return;
  for (const one of currentTarget.querySelectorAll("a")) one.tabIndex = one === target ? 0 : -1;
}

/**
 * Of a list, when a key is pressed in one of its links: to the one before or behind.
 * @param {KeyboardEvent & { currentTarget: Element }} event
 */
export function step(event) {
  const { currentTarget, target, key } = event;
  const links = [...currentTarget.querySelectorAll("a")];
  const at = links.findIndex((one) => target instanceof Node && one.contains(target));
  const back = key === "ArrowLeft" || key === "ArrowUp";
  if (at < 0 || !(back || key === "ArrowRight" || key === "ArrowDown")) return;
  event.preventDefault();
  links.at((at + (back ? -1 : 1)) % links.length)?.focus();
}

/**
 * Of a table, when a key is pressed in one of its cells: to the nearest cell that has a link.
 * @param {KeyboardEvent & { currentTarget: HTMLTableElement }} event
 */
export function move(event) {
  const { currentTarget, target, key } = event;
  const place = target instanceof HTMLElement ? target.closest("td") : null;
  const row = place?.closest("tr");
  if (place === null || row === null || row === undefined) return;
  const links = [...currentTarget.querySelectorAll("a")];
  const at = links.findIndex((one) => place.contains(one));
  const own = [...row.querySelectorAll("a")];
  const next = {
    ArrowRight: () => links[at + 1],
    ArrowLeft: () => links[at - 1],
    ArrowDown: () => nearest(row, place.cellIndex, "nextElementSibling"),
    ArrowUp: () => nearest(row, place.cellIndex, "previousElementSibling"),
    Home: () => own[0],
    End: () => own.at(-1),
  }[key];
  if (next === undefined) return;
  event.preventDefault();
  next()?.focus();
}

/**
 * The cell of the nearest row that has any, in the nearest column.
 * @param {Element} row
 * @param {number} column
 * @param {"nextElementSibling" | "previousElementSibling"} way
 */
function nearest(row, column, way) {
  for (let one = row[way]; one !== null; one = one[way]) {
    const links = [...one.querySelectorAll("a")];
    const distance = (/** @type {HTMLElement} */ link) =>
      Math.abs((link.closest("td")?.cellIndex ?? 0) - column);
    if (links.length > 0)
      return links.reduce((best, link) => (distance(link) < distance(best) ? link : best));
  }
  return undefined;
}
