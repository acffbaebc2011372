// Selectors over the labels of pods that ask for the name of the pod's namespace too. Labels of pods are indexed without their
// namespace, so such a selector is rewritten before it is one of a group: into products, each of a selector of namespaces and a
// selector of pods. Invariant: the selector selects a pod if and only if one of the products selects its namespace and the pod.

import { conjunctionOf, disjunctionOf, folded, negationOf, nothing, replaced } from "../selectors/folding.ts";
import { isSatisfiable } from "../selectors/satisfiable.ts";
import { namespacesNamed, nameKey } from "../selectable.ts";
import type { Requirement, Selector } from "../selector.ts";
import { everything, mentions, requirements, requirementsOf, selects } from "../selector.ts";

/** Key of the name of the pod's namespace, among the labels that selectors of pods match. No group's selector has it. */
export const namespaceOfPodKey = "#namespace";

export interface Product {
  /** Of namespaces: their names are asked for under `nameKey`. */
  readonly namespaces: Selector;
  /** Of pods, without `namespaceOfPodKey`. */
  readonly pods: Selector;
}

const mostProducts = 64;
/** Combinations of texts in names that are looked at. */
const mostCases = 256;

/** Products that select something, with different pods each; they may overlap. null: more than 64 are needed. */
export function splitByNamespace(selector: Selector): readonly Product[] | null {
  const products = productsOf(selector);
  return products === null || products.length > mostProducts ? null : products;
}

function productsOf(selector: Selector): readonly Product[] | null {
  if (selector.kind === "or") {
    const [mixed, plain] = apart(selector.operands, isMixed);
    const [named, others] = apart(plain, mentionsName);
    const parts = mixed.map(productsOf);
    const own = { namespaces: byName(disjunctionOf(named)), pods: everything };
    const rest = { namespaces: everything, pods: disjunctionOf(others) };
    return parts.every((part) => part !== null) ? merged([own, rest, ...parts.flat()]) : null;
  }
  const [mixed, plain] = apart(factorsOf(selector), isMixed);
  const [named, others] = apart(plain, mentionsName);
  const cases = mixed.length === 0 ? [{ namespaces: everything, pods: everything }] : casesOf(mixed);
  return (
    cases &&
    merged(
      cases.map(({ namespaces, pods }) => ({
        namespaces: conjunctionOf([byName(conjunctionOf(named)), namespaces]),
        pods: conjunctionOf([conjunctionOf(others), pods]),
      })),
    )
  );
}

/** What must all hold. */
function factorsOf(selector: Selector): readonly Selector[] {
  if (selector.kind === "and") return selector.operands.flatMap(factorsOf);
  return selector.kind === "requirements" ? selector.requirements.map(folded) : [selector];
}

/** A case for each name that is asked for, and for all others each way in which they can meet what is asked of their text. */
function casesOf(factors: readonly Selector[]): readonly Product[] | null {
  const selector = conjunctionOf(factors);
  const asked = requirementsOf(selector).filter(({ key }) => key === namespaceOfPodKey);
  const names = [...new Set(asked.flatMap((one) => ("values" in one ? one.values : [])))];
  const named = names.map((name) => ({ name, pods: podsIn(selector, name) }));
  const unnamed = decided(selector, (one) => ("text" in one ? null : isMetUnnamed(one)));
  // Names whose pods are those of all others need no case of their own.
  const apartOnes = named.filter(({ pods }) => pods.text !== unnamed.text);
  const values = apartOnes.map(({ name }) => name);
  const ofOthers = textCases(unnamed, folded({ operator: "NotIn", key: nameKey, values }));
  const ofNames = apartOnes.map(({ name, pods }) => ({ namespaces: namespacesNamed([name]), pods }));
  return ofOthers && merged([...ofNames, ...ofOthers]);
}

/** The pods of the namespace of this name. */
function podsIn(selector: Selector, name: string): Selector {
  const labels = new Map([[namespaceOfPodKey, name]]);
  return decided(selector, (one) => selects(requirements([one]), labels));
}

/** Of a name that no requirement names. */
function isMetUnnamed({ operator }: Requirement): boolean {
  return operator === "NotIn" || operator === "Exists";
}

function textCases(selector: Selector, namespaces: Selector): readonly Product[] | null {
  let open: readonly Product[] = [{ namespaces, pods: selector }];
  const closed: Product[] = [];
  while (open.length > 0) {
    if (open.length + closed.length > mostCases) return null;
    closed.push(...open.filter(({ pods }) => !mentionsName(pods)));
    open = open.filter(({ pods }) => mentionsName(pods)).flatMap(halves);
  }
  return closed;
}

/** The names that meet the first text that is asked for, and those that do not. */
function halves({ namespaces, pods }: Product): readonly Product[] {
  const [asked] = requirementsOf(pods).filter(({ key }) => key === namespaceOfPodKey);
  if (asked === undefined) return [];
  const text = folded(asked);
  const meeting = byName(text);
  const half = (names: Selector, holds: boolean): Product => ({
    namespaces: conjunctionOf([namespaces, names]),
    pods: decided(pods, (one) => (folded(one).text === text.text ? holds : null)),
  });
  return [half(meeting, true), half(negationOf(meeting), false)].filter((one) =>
    isSatisfiable(one.namespaces),
  );
}

/** The selector where some requirements of the namespace's name are decided; null: one stays. */
function decided(selector: Selector, decide: (requirement: Requirement) => boolean | null): Selector {
  return replaced(selector, (one) => {
    const holds = one.key === namespaceOfPodKey ? decide(one) : null;
    if (holds === null) return folded(one);
    return holds ? everything : nothing;
  });
}

function byName(selector: Selector): Selector {
  return replaced(selector, (one) => folded(one.key === namespaceOfPodKey ? { ...one, key: nameKey } : one));
}

/** One product for equal pods, without those that select nothing. */
function merged(products: readonly Product[]): readonly Product[] {
  const some = products.filter(({ namespaces, pods }) => isSatisfiable(namespaces) && isSatisfiable(pods));
  return Array.from(Map.groupBy(some, ({ pods }) => pods.text).values(), ([first, ...others]) => ({
    namespaces: disjunctionOf([first, ...others].flatMap((one) => one?.namespaces ?? [])),
    pods: first?.pods ?? everything,
  }));
}

function mentionsName(selector: Selector): boolean {
  return mentions(selector, namespaceOfPodKey);
}

/** Whether it asks for the namespace's name, and for labels too. */
function isMixed(selector: Selector): boolean {
  return mentionsName(selector) && requirementsOf(selector).some(({ key }) => key !== namespaceOfPodKey);
}

function apart<T>(list: readonly T[], test: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [list.filter(test), list.filter((one) => !test(one))];
}
