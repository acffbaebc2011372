// The page: which view the address names, drawn again when the address or the world changes.

import { compareView, takeYaml } from "./compare.js";
import { fill, h, shape } from "./dom.js";
import { exported } from "./exported.js";
import { arrive, focusKept } from "./focus.js";
import { follow } from "./follow.js";
import { showUnenforced, showWorld } from "./head.js";
import { endView } from "./end.js";
import { homeView } from "./home.js";
import { setSharedKinds } from "./links.js";
import { namespaceView } from "./namespace.js";
import { orderView } from "./order.js";
import { planView } from "./plan.js";
import { podView } from "./pod.js";
import { policyView } from "./policy.js";
import { listenToSearch, searchView } from "./search.js";
import { setEnforced } from "./states.js";
import { testerView } from "./tester.js";
import { hrefOf, stateOfUrl } from "./url.js";

/** @typedef {import("../shown.ts").StateShown} StateShown */
/**
 * @typedef {object} Context
 * @property {StateShown} state
 * @property {(task: () => Promise<string>) => void} later what may come after the view is there; answers of which revision it is
 */
/**
 * @typedef {object} Drawn
 * @property {string} title
 * @property {string} said for the live region
 * @property {readonly import("./dom.js").Child[]} elements
 * @property {string} [revision] of which it is
 */
/** @typedef {(state: import("./url.js").State, context: Context) => Promise<Drawn>} View */

/** `ofOne`: it is about one thing, and links lead there. */
/** @type {Readonly<Record<string, { title: string, draw: View, ofOne?: boolean }>>} */
const views = {
  home: { title: "Home", draw: homeView },
  pod: { title: "Pod", draw: podView },
  tester: { title: "Tester", draw: testerView },
  plan: { title: "Plan", draw: planView },
  order: { title: "Order", draw: orderView },
  compare: { title: "Compare", draw: compareView },
  policy: { title: "Policy", draw: policyView, ofOne: true },
  namespace: { title: "Namespace", draw: namespaceView, ofOne: true },
  workload: { title: "Workload", draw: endView, ofOne: true },
  service: { title: "Service", draw: endView, ofOne: true },
  search: { title: "Search", draw: searchView, ofOne: true },
};

const main = element("main");
const said = element("said");
/** @type {StateShown | null} */
let world = null;
let drawings = 0;
let shownView = "";
/** Somebody has gone to a view that is not drawn yet. */
let isArriving = false;
let isRedrawing = false;
let isOutdated = false;

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** Somebody has gone to the view of the address. */
function go() {
  isArriving = true;
  void draw();
}

/** The world is another. One drawing at a time: a world that changes faster than it is drawn does not keep it from being shown. */
async function redraw() {
  isOutdated = true;
  if (isRedrawing) return;
  isRedrawing = true;
  try {
    while (isOutdated) {
      isOutdated = false;
      await draw();
    }
  } finally {
    isRedrawing = false;
  }
}

async function draw() {
  const state = stateOfUrl();
  const name = state.view ?? exported?.views[0] ?? "home";
  const view = Object.hasOwn(views, name) ? views[name] : views.home;
  if (world === null || view === undefined) return;
  const own = ++drawings;
  navigation(name);
  /** @type {Promise<Outcome>[]} */
  const tasks = [];
  const context = {
    state: world,
    later: (/** @type {() => Promise<string>} */ task) => tasks.push(outcome(task)),
  };
  main.setAttribute("aria-busy", "true");
  const drawn = await view.draw(state, context).catch((error) => failed(view.title, name, error));
  // What is drawn again is not shown without what comes later: it would vanish and come back.
  if (!isArriving) await Promise.all(tasks);
  // Somebody has gone on meanwhile.
  if (own !== drawings) return;
  const keepFocus = focusKept(main);
  fill(main, ...drawn.elements);
  main.setAttribute("aria-busy", "false");
  document.title = `${drawn.title} · Northgate`;
  if (isArriving) arrive(main, { isFirst: shownView === "", isSameView: shownView === name });
  keepFocus();
  shownView = name;
  isArriving = false;
  if (said.textContent !== drawn.said) fill(said, drawn.said);
  const isOld = drawn.revision !== undefined && drawn.revision !== world?.revision;
  main.toggleAttribute("data-pending", tasks.length > 0 || isOld);
  const left = new Set(tasks);
  for (const task of tasks) void settle(task, own, left);
}

/** @typedef {{ revision: string } | { error: string }} Outcome */

/**
 * @param {() => Promise<string>} task
 * @returns {Promise<Outcome>}
 */
async function outcome(task) {
  try {
    return { revision: await task() };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/**
 * What comes later. Of what is of an earlier revision the next comes with the state that says that it is there.
 * @param {Promise<Outcome>} task
 * @param {number} own
 * @param {Set<Promise<Outcome>>} left those that are not there yet
 */
async function settle(task, own, left) {
  const result = await task;
  if (own !== drawings) return;
  if ("error" in result) {
    main.append(h("p", { class: "quiet" }, result.error));
  } else if (result.revision !== world?.revision) return;
  left.delete(task);
  if (left.size === 0) main.removeAttribute("data-pending");
}

/**
 * @param {string} title
 * @param {string} name
 * @param {unknown} error
 * @returns {Drawn}
 */
function failed(title, name, error) {
  const text = messageOf(error);
  const elements = [h("h1", {}, title), h("p", { class: "problem" }, shape("unknown"), text), back(name)];
  return { title, said: text, elements };
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {string} name */
function back(name) {
  return h("p", {}, h("a", { href: hrefOf({ view: name }) }, "Begin again"));
}

/** @param {string} name */
function navigation(name) {
  fill(
    element("views"),
    Object.entries(views)
      .filter(([key, { ofOne }]) => key === name || (!ofOne && isOffered(key)))
      .map(([key, { title }]) =>
        h("a", { href: hrefOf({ view: key }), "aria-current": key === name ? "page" : null }, title),
      ),
  );
}

/** @param {string} view */
function isOffered(view) {
  if (exported !== null) return exported.views.includes(view);
  return (view !== "plan" && view !== "compare") || world?.has[view] === true;
}

/** @param {StateShown} state */
function told(state) {
  const before = world;
  const isBack = document.body.classList.contains("away");
  document.body.classList.remove("away");
  showWorld(element("world"), state);
  showUnenforced(element("first"), state);
  world = state.isReady ? state : null;
  if (world === null) return;
  setSharedKinds(world.sharedKinds);
  setEnforced(world.live !== null);
  if (before === null) go();
  // A program that was away may have begun again, and counts from the beginning.
  else if (isBack || changing(before) !== changing(state)) void redraw();
}

/**
 * What answers depend on: counts are in the head alone.
 * @param {StateShown} state
 */
function changing({ revision, live }) {
  return JSON.stringify([revision, live?.pending, live?.unenforced, live?.writer]);
}

function lost() {
  document.body.classList.add("away");
  fill(element("world"), "the program does not answer; what is shown is of before");
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.classList.contains("skip"))
    return;
  // A link of a drawing has no address but this.
  const url = new URL(link.getAttribute("href") ?? "", location.href);
  if (url.origin !== location.origin || exported !== null) return;
  event.preventDefault();
  history.pushState(null, "", url);
  go();
});
listenToSearch();
addEventListener("popstate", go);
takeYaml(() => isOffered("compare"));
follow({ told, lost });
