// The search of every view's head, and what it finds.

import { ask } from "./api.js";
import { counted, h } from "./dom.js";
import { endHref, kindName } from "./links.js";
import { go, hrefOf } from "./url.js";

/** @typedef {import("../shown/found.ts").SearchShown} Told */
/** @typedef {import("../shown/found.ts").Found} Found */

/** @type {import("./main.js").View} */
export async function searchView({ q = "" }) {
  const field = document.getElementById("search-q");
  if (field instanceof HTMLInputElement && field !== document.activeElement) field.value = q;
  /** @type {Told} */
  const told = await ask("search", { q, limit: 60 });
  const count = counted(told.total, "thing is found", "things are found");
  return {
    title: `Search: ${q}`,
    said: count,
    revision: told.revision,
    elements: [
      h("h1", {}, "Search"),
      h("p", { class: "facts" }, h("span", {}, q === "" ? "nothing is asked" : `“${q}”: ${count}`)),
      h(
        "ul",
        { class: "rows found" },
        told.shown.map((one) =>
          h(
            "li",
            { "data-key": `${one.sort} ${one.id} ${one.title}` },
            h("span", { class: "sort" }, sortText(one)),
            h("span", { class: "row-name" }, h("a", { href: hrefOfFound(one) }, one.title)),
            h("span", { class: "quiet" }, one.detail),
          ),
        ),
      ),
      told.total > told.shown.length &&
        h("p", { class: "quiet" }, `The first ${told.shown.length} are shown. Another word finds fewer.`),
      told.total === 0 &&
        h(
          "p",
          { class: "quiet" },
          "Words are looked for in names, namespaces, kinds, addresses (10.0.0.7) and labels (app=web) of pods, workloads, Services, namespaces, nodes and policies.",
        ),
    ],
  };
}

/** @param {Found} found */
function sortText({ sort, policy }) {
  const words = {
    pod: "Pod",
    workload: "Workload",
    service: "Service",
    namespace: "Namespace",
    node: "Node",
  };
  return sort === "policy" ? (policy === undefined ? "Policy" : kindName(policy)) : words[sort];
}

/** @param {Found} found */
function hrefOfFound({ sort, id, isEnd }) {
  if (sort === "policy") return hrefOf({ view: "policy", policy: id });
  if (sort === "namespace" || isEnd === false) return hrefOf({ view: "namespace", namespace: id });
  if (sort === "service" || sort === "workload") return endHref(id);
  if (sort === "node") return hrefOf({ view: "tester", to: id });
  return hrefOf({ view: "pod", pod: id });
}

/** The head has the field once, for all views; "/" leads there. */
export function listenToSearch() {
  const form = document.getElementById("search");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const field = document.getElementById("search-q");
    if (field instanceof HTMLInputElement) go({ view: "search", q: field.value.trim() });
  });
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const isTyping = target instanceof HTMLElement && target.closest("input, select, textarea") !== null;
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    document.getElementById("search-q")?.focus();
  });
}
