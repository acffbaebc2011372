// Which selectors select which label sets. Evaluates each distinct pair of texts at most once while both are held.
// Independent of pods, namespaces and nodes: each has its own instance. Invariant: a selector is in `matched` of a
// label set, and the label set in `matched` of the selector, if and only if the selector selects it.
//
// A label set is labels and a name: a namespace's own, a pod's service account. The name is part of the identity but is
// not copied into the labels: namespaces differ by their labels anyway, and pods of equal labels usually have one
// account. So a name costs one bucket entry for each label set, and no map for each pod. An evaluation makes a map with
// the name in it only for a selector that asks for the name.

import type { Work } from "./work.ts";
import { canonicalLabels, type Labels } from "../model/labels.ts";
import { bucketsOf, filingOf, labelBucket, type Filing } from "./filing.ts";
import { invariant } from "../lib/invariant.ts";
import { Multimap } from "../lib/multimap.ts";
import { mentions, selects, type Selector } from "../model/selector.ts";

/** Distinct labels with a name; every object that has them shares the set. */
export interface LabelSet {
  /** Canonical. */
  readonly text: string;
  readonly labels: Labels;
  /** The value that selectors match under the index's name key; empty where it has none. */
  readonly name: string;
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
  readonly asksForName: boolean;
  readonly matched: Set<HeldLabelSet>;
  holders: number;
}

export class LabelIndex {
  readonly #work: Work;
  readonly #nameKey: string | null;
  readonly #labelSets = new Map<string, HeldLabelSet>();
  readonly #selectors = new Map<string, HeldSelector>();
  readonly #labelSetsIn = new Multimap<string, HeldLabelSet>();
  readonly #selectorsIn = new Multimap<string, HeldSelector>();
  /** Selectors that no bucket can hold. */
  readonly #unfiled = new Set<HeldSelector>();

  /** `nameKey`: the pseudo key by which selectors match the name of a label set; null: label sets have no names. */
  constructor(work: Work, nameKey: string | null) {
    this.#work = work;
    this.#nameKey = nameKey;
  }

  /** Each hold needs one `releaseLabels`. */
  holdLabels(labels: Labels, name: string): LabelSet {
    // The JSON text ends the first part, so that no name can imitate labels.
    const text = this.#nameKey === null ? canonicalLabels(labels) : canonicalLabels(labels) + name;
    const set = this.#labelSets.get(text) ?? this.#addLabels(labels, name, text);
    set.holders++;
    return set;
  }

  releaseLabels({ text }: LabelSet): void {
    const set = this.#labelSets.get(text);
    invariant(set !== undefined, "a label set was released without a hold");
    if (--set.holders > 0) return;
    this.#labelSets.delete(text);
    for (const bucket of this.#bucketsOf(set)) this.#labelSetsIn.remove(bucket, set);
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

  #addLabels(labels: Labels, name: string, text: string): HeldLabelSet {
    const set: HeldLabelSet = { labels, name, text, matched: new Set(), holders: 0 };
    const buckets = this.#bucketsOf(set);
    this.#labelSets.set(text, set);
    for (const bucket of buckets) this.#labelSetsIn.add(bucket, set);
    const candidates = new Set(this.#unfiled);
    for (const bucket of buckets) addAll(candidates, this.#selectorsIn.get(bucket));
    for (const selector of candidates) this.#match(selector, set);
    return set;
  }

  #addSelector(selector: Selector): HeldSelector {
    const filing = filingOf(selector);
    const asksForName = this.#nameKey !== null && mentions(selector, this.#nameKey);
    const filed: HeldSelector = { selector, filing, asksForName, matched: new Set(), holders: 0 };
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
    if (!selects(filed.selector, filed.asksForName ? this.#withName(set) : set.labels)) return;
    filed.matched.add(set);
    set.matched.add(filed);
  }

  #bucketsOf({ labels, name }: LabelSet): readonly string[] {
    const buckets = bucketsOf(labels);
    return this.#nameKey === null ? buckets : [...buckets, labelBucket(this.#nameKey, name)];
  }

  #withName({ labels, name }: LabelSet): Labels {
    return this.#nameKey === null ? labels : new Map(labels).set(this.#nameKey, name);
  }
}

function addAll<T>(set: Set<T>, values: Iterable<T>): void {
  for (const value of values) set.add(value);
}
