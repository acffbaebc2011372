// A field in which a pod is looked for: the server finds, a few are offered. A combobox as ARIA has it: arrows move, Enter
// takes, Escape closes. What is typed stands as it is: an address is an end, too.

import { ask } from "./api.js";
import { counted, fill, h } from "./dom.js";

let numbers = 0;

/**
 * @param {{ label: string, value: string, hint?: string, taken: (text: string) => void, large?: boolean }} options
 * @returns {{ element: HTMLElement, input: HTMLInputElement }}
 */
export function picker({ label, value, hint = "", taken, large = false }) {
  const id = `picker-${++numbers}`;
  const input = /** @type {HTMLInputElement} */ (
    h("input", {
      ...{
        id,
        type: "text",
        role: "combobox",
        value,
        placeholder: hint,
        autocomplete: "off",
        spellcheck: "false",
      },
      ...{ "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list` },
    })
  );
  const list = h("ul", { id: `${id}-list`, role: "listbox", "aria-label": label, hidden: true });
  const count = h("p", { class: "unseen", role: "status" });
  /** @type {readonly string[]} */
  let offered = [];
  let active = -1;
  /** @type {AbortController | null} */
  let asking = null;

  const close = () => {
    asking?.abort();
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const take = (/** @type {string} */ text) => {
    input.value = text;
    close();
    taken(text);
  };
  const mark = () => {
    for (const [at, item] of [...list.children].entries())
      item.setAttribute("aria-selected", String(at === active));
    if (active < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", `${id}-${active}`);
      list.children[active]?.scrollIntoView({ block: "nearest" });
    }
  };
  const offer = (/** @type {import("../pods.ts").FoundPods} */ { total, pods }) => {
    offered = pods.map(({ pod }) => pod);
    fill(
      list,
      pods.map(({ pod, ips, exempt }, at) =>
        h(
          "li",
          {
            ...{ id: `${id}-${at}`, role: "option", "aria-selected": "false" },
            onmousedown: (/** @type {Event} */ event) => {
              event.preventDefault();
              take(pod);
            },
          },
          h("span", {}, pod),
          h("span", { class: "quiet" }, exempt ? `${ips.join(" ")} · no policies` : ips.join(" ")),
        ),
      ),
    );
    active = -1;
    list.hidden = pods.length === 0;
    input.setAttribute("aria-expanded", String(pods.length > 0));
    fill(
      count,
      total > pods.length
        ? `${counted(total, "pod")}, the first ${pods.length} are offered`
        : counted(total, "pod"),
    );
  };
  const look = async () => {
    asking?.abort();
    asking = new AbortController();
    try {
      offer(await ask("pods", { q: input.value, limit: 12 }, asking.signal));
    } catch (error) {
      if (!(error instanceof DOMException)) close();
    }
  };
  input.addEventListener("input", look);
  input.addEventListener("click", look);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) {
        void look();
        return;
      }
      const step = event.key === "ArrowDown" ? 1 : -1;
      active = (active + step + offered.length + (active < 0 && step < 0 ? 1 : 0)) % offered.length;
      mark();
    } else if (event.key === "Enter") {
      const chosen = active >= 0 && !list.hidden ? offered[active] : undefined;
      if (chosen !== undefined) event.preventDefault();
      take(chosen ?? input.value.trim());
    } else if (event.key === "Escape") close();
  });
  const element = h(
    "div",
    { class: large ? "picker large" : "picker" },
    h("label", { for: id }, label),
    input,
    list,
    count,
  );
  return { element, input };
}
