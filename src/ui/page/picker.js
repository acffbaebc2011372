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
  const { id, input, list, count } = new Picker(label, value, hint, taken);
  const kind = large ? "picker large" : "picker";
  return { element: h("div", { class: kind }, h("label", { for: id }, label), input, list, count), input };
}

class Picker {
  id = `picker-${++numbers}`;
  input;
  list;
  count = h("p", { class: "unseen", role: "status" });
  #taken;
  /** @type {readonly string[]} */
  #offered = [];
  #active = -1;
  /** @type {AbortController | null} */
  #asking = null;

  /**
   * @param {string} label
   * @param {string} value
   * @param {string} hint
   * @param {(text: string) => void} taken
   */
  constructor(label, value, hint, taken) {
    const { id } = this;
    this.#taken = taken;
    this.input = /** @type {HTMLInputElement} */ (
      h("input", {
        ...{ id, type: "text", role: "combobox", value, placeholder: hint },
        ...{ autocomplete: "off", spellcheck: "false" },
        ...{ "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list` },
      })
    );
    this.list = h("ul", { id: `${id}-list`, role: "listbox", "aria-label": label, hidden: true });
    this.input.addEventListener("input", () => this.#look());
    this.input.addEventListener("click", () => this.#look());
    this.input.addEventListener("blur", () => this.#close());
    this.input.addEventListener("keydown", (event) => this.#press(event));
  }

  #close() {
    this.#asking?.abort();
    this.list.hidden = true;
    this.#active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  /** @param {string} text */
  #take(text) {
    this.input.value = text;
    this.#close();
    this.#taken(text);
  }

  #mark() {
    const { id, input, list } = this;
    for (const [at, item] of [...list.children].entries())
      item.setAttribute("aria-selected", String(at === this.#active));
    if (this.#active < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", `${id}-${this.#active}`);
      list.children[this.#active]?.scrollIntoView({ block: "nearest" });
    }
  }

  /** @param {import("../pods.ts").FoundPods} found */
  #offer({ total, pods }) {
    const all = counted(total, "pod or workload", "pods and workloads");
    this.#offered = pods.map(({ pod }) => pod);
    fill(
      this.list,
      pods.map((one, at) => this.#option(one, at)),
    );
    this.#active = -1;
    this.list.hidden = pods.length === 0;
    this.input.setAttribute("aria-expanded", String(pods.length > 0));
    fill(this.count, total > pods.length ? `${all}, the first ${pods.length} are offered` : all);
  }

  /**
   * @param {import("../pods.ts").FoundPods["pods"][number]} one
   * @param {number} at
   */
  #option({ pod, title, ips, exempt }, at) {
    const attributes = {
      ...{ id: `${this.id}-${at}`, role: "option", "aria-selected": "false" },
      onmousedown: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#take(pod);
      },
    };
    const addresses = exempt ? `${ips.join(" ")} · no policies` : ips.join(" ");
    return h("li", attributes, h("span", {}, title), h("span", { class: "quiet" }, addresses));
  }

  async #look() {
    this.#asking?.abort();
    this.#asking = new AbortController();
    try {
      this.#offer(await ask("pods", { q: this.input.value, limit: 12 }, this.#asking.signal));
    } catch (error) {
      if (!(error instanceof DOMException)) this.#close();
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) {
        void this.#look();
        return;
      }
      const [step, count] = [event.key === "ArrowDown" ? 1 : -1, this.#offered.length];
      this.#active = (this.#active + step + count + (this.#active < 0 && step < 0 ? 1 : 0)) % count;
      this.#mark();
    } else if (event.key === "Enter") {
      const chosen = this.#active >= 0 && !this.list.hidden ? this.#offered[this.#active] : undefined;
      if (chosen !== undefined) event.preventDefault();
      this.#take(chosen ?? this.input.value.trim());
    } else if (event.key === "Escape") this.#close();
  }
}
