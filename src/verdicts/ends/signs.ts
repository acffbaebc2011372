// A sign for each set of labels: equal for labels that no selector of either world distinguishes. Each selector is compared with
// each set of labels once, however many pods have it.

import type { Labels } from "../../model/labels.ts";
import { canonicalLabels } from "../../model/labels.ts";
import type { Selector } from "../../model/selector.ts";
import { selects } from "../../model/selector.ts";
import { Interner } from "../interner.ts";

/** The number of a sign. */
export type Sign = number;

export class Signs {
  readonly #selectors: readonly Selector[];
  readonly #known = new Map<string, Sign>();
  readonly #ids = new Interner();
  readonly #selected: ReadonlySet<string>[] = [];
  #compared = 0;

  /** Selectors of equal text are one. */
  constructor(selectors: Iterable<Selector>) {
    this.#selectors = [...new Map(Iterator.from(selectors).map((one) => [one.text, one])).values()];
  }

  /** How often a selector was compared with labels. */
  get compared(): number {
    return this.#compared;
  }

  of(labels: Labels): Sign {
    const text = canonicalLabels(labels);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#compared += this.#selectors.length;
    const matching = this.#selectors.filter((selector) => selects(selector, labels)).map((one) => one.text);
    const sign = this.#ids.of(JSON.stringify(matching));
    this.#selected[sign] ??= new Set(matching);
    this.#known.set(text, sign);
    return sign;
  }

  selects(selector: Selector, sign: Sign): boolean {
    return this.#selected[sign]?.has(selector.text) === true;
  }
}
