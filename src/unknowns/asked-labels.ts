// What the policies ask about the labels of one namespace that was not read, and every answer that can make a difference:
// each key has one of the values that are asked for, another value (asked-values.ts), or none. Of combinations that all selectors answer alike,
// one is given. Invariant: every completion of the unknown labels is answered as one of those that are given.

import { unreachable } from "../lib/invariant.ts";
import type { NamespaceFact } from "../model/facts.ts";
import { isPseudoKey, namespaceLabels } from "../model/selectable.ts";
import type { Requirement, Selector } from "../model/selector.ts";
import { requirements, requirementsOf, selects } from "../model/selector.ts";
import { AskedValues } from "./asked-values.ts";

/** Combinations that are tried. */
const mostCombinations = 20_000;

export class AskedLabels {
  readonly fact: NamespaceFact;
  readonly #selectors = new Map<string, Selector>();
  /** By unknown key. */
  readonly #values = new Map<string, AskedValues>();
  /** Keys whose values are compared with those of the other end's namespace. */
  readonly #compared = new Set<string>();

  constructor(fact: NamespaceFact) {
    this.fact = fact;
  }

  /** Unknown ones, sorted. */
  get keys(): readonly string[] {
    return [...this.#values.keys()].sort();
  }

  ask(selector: Selector): void {
    this.#selectors.set(selector.text, selector);
    for (const requirement of requirementsOf(selector)) this.#valuesOf(requirement.key)?.ask(requirement);
  }

  /** Whether the value of a label equals the other namespace's. */
  compare(key: string, other: NamespaceFact): void {
    const value = other.labels.get(key);
    const values = this.#valuesOf(key);
    if (value !== undefined) values?.compare(value);
    this.#compared.add(key);
  }

  /** Both ask for the values of the other, where they are compared. */
  share(other: AskedLabels): void {
    for (const key of this.#compared) {
      const [own, others] = [this.#valuesOf(key), other.#valuesOf(key)];
      other.#compared.add(key);
      if (own === null || others === null) continue;
      own.share(others);
      others.share(own);
    }
  }

  /** null: there are too many to try. */
  completions(): readonly NamespaceFact[] | null {
    const domains: (readonly [string, readonly (string | null)[]])[] = [];
    for (const key of this.keys) {
      const values = this.#values.get(key)?.values(mostCombinations);
      if (values === undefined || values === null) return null;
      domains.push([key, [...values, null]]);
    }
    if (domains.reduce((count, [, values]) => count * values.length, 1) > mostCombinations) return null;
    const combinations = domains.reduce<readonly ReadonlyMap<string, string>[]>(
      (labels, [key, values]) =>
        labels.flatMap((one) =>
          values.map((value) => (value === null ? one : new Map([...one, [key, value]]))),
        ),
      [this.fact.labels],
    );
    const distinct = new Map<string, NamespaceFact>();
    for (const labels of combinations) {
      const fact: NamespaceFact = { ...this.fact, labels };
      const answers = this.#answersOf(fact);
      if (!distinct.has(answers)) distinct.set(answers, fact);
    }
    return [...distinct.values()];
  }

  /** Equal where every question has the same answer. */
  #answersOf(fact: NamespaceFact): string {
    const labels = namespaceLabels(fact);
    const selected = Array.from(this.#selectors.values(), (selector) => selects(selector, labels));
    const compared = Array.from(this.#compared, (key) => fact.labels.get(key) ?? null);
    return JSON.stringify([selected, compared]);
  }

  /** null: the key is known. */
  #valuesOf(key: string): AskedValues | null {
    if (isKnownKey(key, this.fact)) return null;
    const values = this.#values.get(key) ?? new AskedValues();
    this.#values.set(key, values);
    return values;
  }
}

/** Whether the selector selects the namespace; null: it depends on labels that are unknown. An upper bound of what depends. */
export function selectsNamespace(selector: Selector, fact: NamespaceFact): boolean | null {
  if (fact.isUnread !== true) return selects(selector, namespaceLabels(fact));
  switch (selector.kind) {
    case "requirements":
      return everyLabels(selector.requirements.map((one) => holds(one, fact)));
    case "and":
      return everyLabels(selector.operands.map((operand) => selectsNamespace(operand, fact)));
    case "or":
      return some(selector.operands.map((operand) => selectsNamespace(operand, fact)));
    case "not": {
      const selected = selectsNamespace(selector.operand, fact);
      return selected === null ? null : !selected;
    }
    default:
      return unreachable(selector);
  }
}

/** Of three values: false where one is, true where all are. */
export function everyLabels(values: readonly (boolean | null)[]): boolean | null {
  return values.includes(false) ? false : values.includes(null) ? null : true;
}

/** Of three values: true where one is, false where all are. */
export function some(values: readonly (boolean | null)[]): boolean | null {
  return values.includes(true) ? true : values.includes(null) ? null : false;
}

function holds(requirement: Requirement, fact: NamespaceFact): boolean | null {
  return isKnownKey(requirement.key, fact)
    ? selects(requirements([requirement]), namespaceLabels(fact))
    : null;
}

function isKnownKey(key: string, fact: NamespaceFact): boolean {
  return isPseudoKey(key) || fact.labels.has(key);
}
