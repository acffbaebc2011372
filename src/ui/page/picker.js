// A field in which a pod is looked for: the server finds, a few are offered. A combobox as ARIA has it: arrows move, Enter
// takes, Escape closes. What is typed stands as it is, also when the page is drawn again: an address is an end, too.

import { ask } from "./api.js";
import { counted, fill, h } from "./dom.js";
import { setPart } from "./patch.js";

/**
 * `name`: of the field in its form; no two of a view have one name. `taken` gets what was chosen, and the field, which has it.
 * @typedef {object} PickerOptions
 * @property {string} name
 * @property {string} label
 * @property {string} value
 * @property {string} [hint]
 * @property {(text: string, input: HTMLInputElement) => void} taken
 * @property {boolean} [large]
 */

/**
 * @param {PickerOptions} options
 * @returns {HTMLElement}
 */
export function picker(options) {
  const own = new Picker(options);
  const { id, input, list, count } = own;
  const attributes = { class: options.large ? "picker large" : "picker", "data-key": id };
  const element = h("div", attributes, h("label", { for: id }, options.label), input, list, count);
  setPart(element, own);
  return element;
}

class Picker {
  id;
  input;
  list;
  count = h("p", { class: "unseen", role: "status" });
  #options;
  /** @type {readonly string[]} */
  #offered = [];
  #active = -1;
  /** @type {AbortController | null} */
  #asking = null;

  /** @param {PickerOptions} options */
  constructor(options) {
    const { name: id, label, value, hint = "" } = options;
    this.id = id;
    this.#options = options;
    this.input = /** @type {HTMLInputElement} */ (
      h("input", {
        ...{ id, name: id, type: "text", role: "combobox", value, placeholder: hint },
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

  /**
   * Drawn again: what is typed stands, unless the question is another one.
   * @param {Picker} drawn
   */
  adopt(drawn) {
    const before = this.#options.value;
    this.#options = drawn.#options;
    if (this.#options.value !== before) this.input.value = this.#options.value;
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
    this.#options.taken(text, this.input);
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

  /** @param {import("../search/pods.ts").FoundPods} found */
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
   * @param {import("../search/pods.ts").FoundPods["pods"][number]} one
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
      event.preventDefault();
      this.#take(chosen ?? this.input.value.trim());
    } else if (event.key === "Escape") this.#close();
  }
}
