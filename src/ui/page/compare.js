// YAML that is pasted or dropped on the page, compared with what is shown: as a plan. The text stays in this tab, and the server
// keeps none: a link has the part of the result that is shown, and neither the text nor the result.

import { ask, post } from "./api.js";
import { h, shape } from "./dom.js";
import { setPart } from "./patch.js";
import { cellOf, isOpen, planDrawn, questionOf } from "./plan.js";
import { again, go } from "./url.js";

const title = "What would this YAML change?";
const waitMs = 500;
const mostBytes = 1024 * 1024;

/**
 * The last comparison of this tab.
 * @type {{ id: string } | { isMaking: true } | { error: string } | null}
 */
let last = null;
/** What was dropped last, and how often: another drop replaces what is typed. */
let dropped = { text: "", count: 0 };
let begun = 0;

/** @type {import("./main.js").View} */
export async function compareView(state) {
  const form = question();
  const only = (/** @type {string} */ said, /** @type {readonly import("./dom.js").Child[]} */ ...rest) => ({
    ...{ title: "Compare", said },
    elements: [h("h1", {}, title), form, ...rest],
  });
  if (last === null) return only("", h("p", { class: "quiet" }, hint));
  if ("isMaking" in last) return only(making, h("p", { class: "lead" }, making));
  if ("error" in last) return only(last.error, problem(last.error));
  const { id } = last;
  /** @type {import("../shown.ts").ComparedShown} */
  const plan = await ask("compare", { id, ...questionOf(state) });
  const classes = isOpen(state) ? await ask("compare/classes", { id, ...cellOf(state) }) : null;
  const drawn = planDrawn(plan, classes, { ...state, view: "compare" });
  const [, ...rest] = drawn.elements;
  return {
    ...{ title: drawn.title.replace("Plan", "Compare"), said: drawn.said },
    elements: [
      h("h1", {}, title),
      form,
      !plan.isOfNow && problem("What is shown has changed since: compare again for what holds now."),
      ...rest,
    ],
  };
}

const making = "The text is being compared with what is shown…";
const hint =
  "Policies, namespaces, pods, nodes, workloads and Services replace what is shown under the same name; nothing is removed. " +
  "The text is compared on the machine that serves this page, and written nowhere.";

/** @param {string} text */
function problem(text) {
  return h("p", { class: "problem" }, shape("unknown"), text);
}

function question() {
  const attributes = { id: "yaml", name: "yaml", rows: 12, spellcheck: "false", autocomplete: "off" };
  const field = /** @type {HTMLTextAreaElement} */ (h("textarea", { ...attributes, "data-key": "yaml" }));
  field.value = dropped.text;
  const { count } = dropped;
  setPart(field, new Dropped(field, count));
  return h(
    "form",
    {
      class: "paste",
      onsubmit: (/** @type {Event & { currentTarget: HTMLFormElement }} */ event) => {
        event.preventDefault();
        void compare(String(new FormData(event.currentTarget).get("yaml") ?? ""));
      },
    },
    h("label", { for: "yaml" }, "YAML: paste it here, or drop files on the page"),
    field,
    h("button", { type: "submit" }, "Compare with what is shown"),
  );
}

/** What is typed stays until something else is dropped. */
class Dropped {
  #field;
  count;

  /**
   * @param {HTMLTextAreaElement} field
   * @param {number} count
   */
  constructor(field, count) {
    this.#field = field;
    this.count = count;
  }

  /** @param {Dropped} drawn */
  adopt(drawn) {
    if (drawn.count === this.count) return;
    this.count = drawn.count;
    this.#field.value = dropped.text;
  }
}

/** @param {string} text */
async function compare(text) {
  const own = ++begun;
  last = { isMaking: true };
  again();
  const result = await resultOf(text);
  // Another text was compared meanwhile.
  if (own !== begun) return;
  last = result;
  again();
}

/**
 * @param {string} text
 * @returns {Promise<{ id: string } | { error: string }>}
 */
async function resultOf(text) {
  try {
    const { id } = await post("compare", text);
    while ((await ask("compare", { id })).isMaking)
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    return { id };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Files that are dropped anywhere on the page, and YAML that is pasted where nothing takes it.
 * @param {() => boolean} isOffered
 */
export function takeYaml(isOffered) {
  document.addEventListener("dragover", (event) => {
    if (isOffered()) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0 || !isOffered()) return;
    event.preventDefault();
    void textOf(files).then(take);
  });
  document.addEventListener("paste", (event) => {
    const isInField = event.target instanceof Element && event.target.closest("input, textarea") !== null;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!isInField && isOffered() && /^\s*"?(apiVersion|kind)"?:/m.test(text)) take(text);
  });
}

/** @param {readonly File[]} files */
async function textOf(files) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > mostBytes) return "";
  return (await Promise.all(files.map((file) => file.text()))).join("\n---\n");
}

/** @param {string} text */
function take(text) {
  dropped = { text, count: dropped.count + 1 };
  go({ view: "compare" });
  if (text === "") {
    last = { error: "the files are empty, or longer than 1 MiB" };
    again();
  } else void compare(text);
}
