// The page: which view the address names, drawn again when the address or the world changes. Asks the server every two seconds
// whether anything is another, while the page is looked at.

import { StateReader } from "./api.js";
import { counted, fill, h, shape } from "./dom.js";
import { homeView } from "./home.js";
import { setSharedKinds } from "./links.js";
import { namespaceView } from "./namespace.js";
import { orderView } from "./order.js";
import { planView } from "./plan.js";
import { podView } from "./pod.js";
import { policyView } from "./policy.js";
import { listenToSearch, searchView } from "./search.js";
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

const pollMs = 2_000;

/** `ofOne`: it is about one thing, and links lead there. */
/** @type {Readonly<Record<string, { title: string, draw: View, ofOne?: boolean }>>} */
const views = {
  home: { title: "Home", draw: homeView },
  pod: { title: "Pod", draw: podView },
  tester: { title: "Tester", draw: testerView },
  plan: { title: "Plan", draw: planView },
  order: { title: "Order", draw: orderView },
  policy: { title: "Policy", draw: policyView, ofOne: true },
  namespace: { title: "Namespace", draw: namespaceView, ofOne: true },
  search: { title: "Search", draw: searchView, ofOne: true },
};

const main = element("main");
const said = element("said");
const reader = new StateReader();
/** @type {StateShown | null} */
let world = null;
let drawings = 0;

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** @param {{ isNew: boolean }} options whether somebody has gone there, and did not just stay */
async function draw({ isNew }) {
  const state = stateOfUrl();
  const name = state.view ?? "home";
  const view = views[name] ?? views.home;
  if (world === null || view === undefined) return;
  const own = ++drawings;
  navigation(name);
  /** @type {(() => Promise<string>)[]} */
  const tasks = [];
  const context = { state: world, later: (/** @type {() => Promise<string>} */ task) => tasks.push(task) };
  main.setAttribute("aria-busy", "true");
  let drawn;
  try {
    drawn = await view.draw(state, context);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    drawn = {
      title: view.title,
      said: text,
      elements: [h("h1", {}, view.title), h("p", { class: "problem" }, shape("unknown"), text), back(name)],
    };
  }
  // Somebody has gone on meanwhile.
  if (own !== drawings) return;
  const kept = isNew ? null : focused();
  fill(main, ...drawn.elements);
  main.setAttribute("aria-busy", "false");
  document.title = `${drawn.title} · Northgate`;
  if (isNew) arrive();
  else kept?.();
  if (said.textContent !== drawn.said) fill(said, drawn.said);
  const isOld = drawn.revision !== undefined && drawn.revision !== world.revision;
  main.toggleAttribute("data-pending", tasks.length > 0 || isOld);
  for (const task of tasks) void settle(task, own);
  if (isOld) again(own);
}

/**
 * What comes later, and again when it was of an earlier revision.
 * @param {() => Promise<string>} task
 * @param {number} own
 */
async function settle(task, own) {
  try {
    const revision = await task();
    if (revision !== world?.revision) again(own);
    else if (own === drawings) main.removeAttribute("data-pending");
  } catch (error) {
    main.removeAttribute("data-pending");
    if (own === drawings)
      main.append(h("p", { class: "quiet" }, error instanceof Error ? error.message : String(error)));
  }
}

/** @param {number} own */
function again(own) {
  setTimeout(() => {
    if (own === drawings) void draw({ isNew: false });
  }, pollMs);
}

/** Somebody who types is not disturbed: what has the focus keeps it, and what was open stays open. */
function focused() {
  const active = document.activeElement;
  const id = active !== null && main.contains(active) ? active.id : "";
  const [x, y] = [scrollX, scrollY];
  const open = [...main.querySelectorAll("details")].map((one) => one.open);
  return () => {
    for (const [at, one] of [...main.querySelectorAll("details")].entries()) one.open = open[at] ?? false;
    if (id !== "") document.getElementById(id)?.focus({ preventScroll: true });
    scrollTo(x, y);
  };
}

function arrive() {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (target !== null) {
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "start" });
  } else scrollTo(0, 0);
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
      .filter(([key, { ofOne }]) => key === name || (!ofOne && (key !== "plan" || world?.has.plan === true)))
      .map(([key, { title }]) =>
        h("a", { href: hrefOf({ view: key }), "aria-current": key === name ? "page" : null }, title),
      ),
  );
}

/**
 * The first lines of every view.
 * @param {StateShown} state
 */
function showUnenforced({ live }) {
  const lines = live?.unenforced ?? [];
  const first = element("first");
  first.hidden = lines.length === 0;
  fill(
    first,
    lines.map((line) => h("p", { class: "problem" }, shape("unknown"), line)),
  );
}

/** @param {StateShown} state */
function showWorld({ from, counts, cni, problems, live }) {
  const pending = live?.pending ?? [];
  fill(
    element("world"),
    h(
      "span",
      { title: from },
      [
        (counts.pods > 0 || counts.workloads === 0) && counted(counts.pods, "pod"),
        counts.workloads > 0 && counted(counts.workloads, "workload without pods", "workloads without pods"),
        counted(counts.policies, "policy", "policies"),
        cni !== "ovn" && `network plugin ${cni}`,
      ]
        .filter((part) => part !== false)
        .join(", "),
    ),
    live !== null &&
      h(
        "details",
        { class: pending.length > 0 ? "live pending" : "live" },
        h("summary", {}, pending.length > 0 ? `${pending.length} pending` : "nothing pending"),
        h(
          "ul",
          {},
          pending.map((line) => h("li", {}, line)),
        ),
        h(
          "dl",
          {},
          live.counts.map(({ name, value }) => [h("dt", {}, name), h("dd", {}, value.toLocaleString("en"))]),
        ),
      ),
    problems.total > 0 &&
      h(
        "details",
        { class: "problems" },
        h("summary", {}, counted(problems.total, "problem")),
        h(
          "ul",
          {},
          problems.shown.map((line) => h("li", {}, line)),
        ),
      ),
  );
}

async function look() {
  try {
    const state = await reader.read();
    if (state !== null) {
      const isOther = world?.revision !== state.revision;
      const isFirst = world === null;
      const open = [...element("world").querySelectorAll("details")].map((one) => one.open);
      world = state;
      setSharedKinds(state.sharedKinds);
      showWorld(state);
      showUnenforced(state);
      for (const [at, one] of [...element("world").querySelectorAll("details")].entries())
        one.open = open[at] ?? false;
      if (state.isReady && isOther) await draw({ isNew: isFirst });
      if (!state.isReady) world = null;
    }
    document.body.classList.remove("away");
  } catch {
    document.body.classList.add("away");
    fill(element("world"), "the program does not answer; what is shown is of before");
  }
  setTimeout(() => void look(), pollMs);
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.classList.contains("skip"))
    return;
  if (link.origin !== location.origin) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  void draw({ isNew: true });
});
listenToSearch();
addEventListener("popstate", () => void draw({ isNew: true }));
void look();
