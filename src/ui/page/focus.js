// Where the focus is: where an action led, and where it was when the view is drawn again.

/**
 * Somebody has gone to a view. To its part that the address names; else to its title, unless a field of a form was used that is
 * still there: the answer is below it, and is said.
 * @param {HTMLElement} main
 * @param {{ isFirst: boolean, isSameView: boolean }} options
 */
export function arrive(main, { isFirst, isSameView }) {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (target !== null) {
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "start" });
    return;
  }
  const active = document.activeElement;
  if (isSameView && active !== null && main.contains(active) && active.closest("form") !== null) return;
  scrollTo(0, 0);
  const title = main.querySelector("h1");
  if (title === null || isFirst) return;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}

/**
 * To be called before a change, and its result after it: what has lost the focus because it is no longer there leaves it to the
 * nearest thing around it that can have it.
 * @param {HTMLElement} main
 */
export function focusKept(main) {
  /** @type {HTMLElement[]} */
  const around = [];
  for (
    let one = document.activeElement;
    one instanceof HTMLElement && main.contains(one);
    one = one.parentElement
  )
    around.push(one);
  return () => {
    const [active] = around;
    if (active === undefined || active.isConnected) return;
    const nearest = around.find(
      (one) => one.isConnected && (one.tabIndex >= 0 || one.hasAttribute("tabindex")),
    );
    if (document.activeElement === document.body) nearest?.focus({ preventScroll: true });
  };
}
