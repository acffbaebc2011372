// Which selectors select which label sets, each distinct pair of texts evaluated at most once while both are held.
// Knows no pods, namespaces or nodes: one instance serves each. Invariant: a selector is in `matched` of a label set,
// and the label set in `matched` of the selector, if and only if the selector selects it.

import type { Work } from "./work.ts";
import { canonicalLabels, type Labels } from "../model/labels.ts";
import { bucketsOf, filingOf, type Filing } from "./filing.ts";
import { invariant } from "../lib/invariant.ts";
import { Multimap } from "../lib/multimap.ts";
import { selects, type Selector } from "../model/selector.ts";

/** Distinct labels, shared by everything that has them. */
export interface LabelSet {
  /** Canonical. */
  readonly text: string;
  readonly labels: Labels;
  readonly matched: ReadonlySet<FiledSelector>;
}

/** A distinct selector. */
export interface FiledSelector {
  readonly selector: Selector;
  readonly matched: ReadonlySet<LabelSet>;
}

interface HeldLabelSet extends LabelSet {
  readonly matched: Set<HeldSelector>;
  holders: number;
}

interface HeldSelector extends FiledSelector {
  readonly filing: Filing | null;
  readonly matched: Set<HeldLabelSet>;
  holders: number;
}

export class LabelIndex {
  readonly #work: Work;
  readonly #labelSets = new Map<string, HeldLabelSet>();
  readonly #selectors = new Map<string, HeldSelector>();
  readonly #labelSetsIn = new Multimap<string, HeldLabelSet>();
  readonly #selectorsIn = new Multimap<string, HeldSelector>();
  /** Selectors no bucket can hold. */
  readonly #unfiled = new Set<HeldSelector>();

  constructor(work: Work) {
    this.#work = work;
  }

  /** Each hold needs one `releaseLabels`. */
  holdLabels(labels: Labels): LabelSet {
    const text = canonicalLabels(labels);
    const set = this.#labelSets.get(text) ?? this.#addLabels(labels, text);
    set.holders++;
    return set;
  }

  releaseLabels({ text }: LabelSet): void {
    const set = this.#labelSets.get(text);
    invariant(set !== undefined, "a label set was released without a hold");
    if (--set.holders > 0) return;
    this.#labelSets.delete(text);
    for (const bucket of bucketsOf(set.labels)) this.#labelSetsIn.remove(bucket, set);
    for (const selector of set.matched) selector.matched.delete(set);
  }

  /** Each hold needs one `releaseSelector`. */
  holdSelector(selector: Selector): FiledSelector {
    const filed = this.#selectors.get(selector.text) ?? this.#addSelector(selector);
    filed.holders++;
    return filed;
  }

  releaseSelector({ selector }: FiledSelector): void {
    const filed = this.#selectors.get(selector.text);
    invariant(filed !== undefined, "a selector was released without a hold");
    if (--filed.holders > 0) return;
    this.#selectors.delete(selector.text);
    if (filed.filing === null) this.#unfiled.delete(filed);
    else for (const bucket of filed.filing.buckets) this.#selectorsIn.remove(bucket, filed);
    for (const set of filed.matched) set.matched.delete(filed);
  }

  #addLabels(labels: Labels, text: string): HeldLabelSet {
    const set: HeldLabelSet = { labels, text, matched: new Set(), holders: 0 };
    const buckets = bucketsOf(labels);
    this.#labelSets.set(text, set);
    for (const bucket of buckets) this.#labelSetsIn.add(bucket, set);
    const candidates = new Set(this.#unfiled);
    for (const bucket of buckets) addAll(candidates, this.#selectorsIn.get(bucket));
    for (const selector of candidates) this.#match(selector, set);
    return set;
  }

  #addSelector(selector: Selector): HeldSelector {
    const filing = filingOf(selector);
    const filed: HeldSelector = { selector, filing, matched: new Set(), holders: 0 };
    this.#selectors.set(selector.text, filed);
    if (filing === null) {
      this.#unfiled.add(filed);
      for (const set of this.#labelSets.values()) this.#match(filed, set);
      return filed;
    }
    const candidates = new Set<HeldLabelSet>();
    for (const bucket of filing.buckets) {
      this.#selectorsIn.add(bucket, filed);
      addAll(candidates, this.#labelSetsIn.get(bucket));
    }
    for (const set of candidates) this.#match(filed, set);
    return filed;
  }

  #match(filed: HeldSelector, set: HeldLabelSet): void {
    this.#work.selectorEvaluations++;
    if (!selects(filed.selector, set.labels)) return;
    filed.matched.add(set);
    set.matched.add(filed);
  }
}

function addAll<T>(set: Set<T>, values: Iterable<T>): void {
  for (const value of values) set.add(value);
}
