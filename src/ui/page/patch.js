// Makes an element that is shown equal to one that was drawn anew, and touches nothing else: what was typed, opened or scrolled
// stays, and what has the focus is neither replaced nor moved. Compared is what was drawn before with what is drawn now, so that
// a change that a user or a script has made since is left alone. Children are found again by `data-key` or `id`, else by their
// tag and first class in their order.

/** @typedef {(event: any) => void} Listener */

/** What an element was last drawn with. @type {WeakMap<Element, Map<string, string>>} */
const drawn = new WeakMap();
/** @type {WeakMap<EventTarget, Map<string, Listener>>} */
const listeners = new WeakMap();
/** The element that is shown in the place of one that was drawn. @type {WeakMap<Element, Element>} */
const shownAs = new WeakMap();
/** @type {WeakMap<Element, { adopt: (drawn: any) => void }>} */
const parts = new WeakMap();

/** Attributes whose property says more than the attribute once a user has touched it. */
const properties = ["value", "checked", "selected", "open"];

/**
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
export function setDrawn(element, name, value) {
  const all = drawn.get(element) ?? new Map();
  drawn.set(element, all.set(name, value));
  element.setAttribute(name, value);
}

/**
 * One listener a type; another drawing replaces it. It takes fields from its event: an element that the view holds may be a
 * drawing that is not shown.
 * @param {Element} element
 * @param {string} type
 * @param {Listener} listener
 */
export function setListener(element, type, listener) {
  const all = listeners.get(element) ?? new Map();
  if (!all.has(type)) element.addEventListener(type, dispatch);
  listeners.set(element, all.set(type, listener));
}

/** @param {Event} event */
function dispatch(event) {
  const { currentTarget, type } = event;
  if (currentTarget !== null) listeners.get(currentTarget)?.get(type)?.(event);
}

/**
 * An element with a state of its own: another drawing of it does not change it, but is given to `adopt` of the part that is shown.
 * It needs a key, and the parts of a key are of one kind.
 * @template {{ adopt: (drawn: any) => void }} T
 * @param {Element} element
 * @param {T} part
 */
export function setPart(element, part) {
  parts.set(element, part);
}

/**
 * The element that is shown for it.
 * @param {Element} element
 */
export function shown(element) {
  return shownAs.get(element) ?? element;
}

/**
 * The children that it has are made equal to these.
 * @param {Element} parent
 * @param {readonly Node[]} children
 */
export function setChildren(parent, children) {
  const left = new Left(parent);
  /** @type {Node | null} */
  let at = parent.firstChild;
  for (const child of children) {
    const before = left.take(child, parent);
    const node = before ?? child;
    if (node === at) at = at.nextSibling;
    else at = put(parent, node, at);
    if (before !== null && before !== child) patch(before, child);
  }
  for (const node of left.rest()) node.remove();
}

/** The children that no new one has taken yet. */
class Left {
  /** @type {Map<string, ChildNode[]>} the last of a list is taken first */
  #lists;

  /** @param {Element} parent */
  constructor(parent) {
    this.#lists = Map.groupBy([...parent.childNodes].reverse(), kindOf);
  }

  /**
   * @param {Node} child
   * @param {Element} parent
   * @returns {ChildNode | null}
   */
  take(child, parent) {
    const list = this.#lists.get(kindOf(child)) ?? [];
    if (child.parentNode !== parent) return list.pop() ?? null;
    const at = list.indexOf(/** @type {ChildNode} */ (child));
    return at < 0 ? null : (list.splice(at, 1)[0] ?? null);
  }

  rest() {
    return [...this.#lists.values()].flat();
  }
}

/** @param {Node} node */
function kindOf(node) {
  if (!(node instanceof Element)) return String(node.nodeType);
  const key = node.getAttribute("data-key") ?? node.id;
  const part = parts.has(node) ? "part" : "";
  return [part, node.tagName, key, key === "" ? (node.classList[0] ?? "") : ""].join(" ");
}

/**
 * Puts the node before `at`; answers what comes after it. A node that is moved loses the focus: the others are moved instead.
 * @param {Element} parent
 * @param {Node} node
 * @param {Node | null} at
 */
function put(parent, node, at) {
  if (node.parentNode !== parent || !node.contains(document.activeElement)) {
    parent.insertBefore(node, at);
    return at;
  }
  const end = node.nextSibling;
  for (let one = at; one !== null && one !== node;) {
    const next = one.nextSibling;
    parent.insertBefore(one, end);
    one = next;
  }
  return node.nextSibling;
}

/**
 * @param {Node} before of one kind with `now`
 * @param {Node} now
 */
function patch(before, now) {
  if (!(before instanceof Element && now instanceof Element)) {
    if (before.nodeValue !== now.nodeValue) before.nodeValue = now.nodeValue;
    return;
  }
  const [part, other] = [parts.get(before), parts.get(now)];
  shownAs.set(now, before);
  if (part !== undefined) part.adopt(other);
  else {
    patchAttributes(before, now);
    patchListeners(before, now);
    setChildren(before, [...now.childNodes]);
  }
}

/**
 * @param {Element} before
 * @param {Element} now
 */
function patchAttributes(before, now) {
  const [was, is] = [drawn.get(before) ?? new Map(), drawn.get(now) ?? new Map()];
  for (const name of was.keys()) {
    if (is.has(name)) continue;
    before.removeAttribute(name);
    setProperty(before, name, null);
  }
  for (const [name, value] of is) {
    if (was.get(name) === value) continue;
    before.setAttribute(name, value);
    setProperty(before, name, value);
  }
  drawn.set(before, is);
}

/**
 * @param {any} element
 * @param {string} name
 * @param {string | null} value
 */
function setProperty(element, name, value) {
  if (!properties.includes(name) || !(name in element)) return;
  element[name] = name === "value" ? (value ?? "") : value !== null;
}

/**
 * @param {Element} before
 * @param {Element} now
 */
function patchListeners(before, now) {
  const [was, is] = [listeners.get(before), listeners.get(now)];
  if (was !== undefined) for (const type of was.keys()) if (!is?.has(type)) was.delete(type);
  if (is !== undefined) for (const [type, listener] of is) setListener(before, type, listener);
}
