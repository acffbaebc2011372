// What selectors match of namespaces, pods and host names: their labels, and under keys that no label can have (`#` is refused in
// label keys) the namespace's name, the pod's service account and the host name. So the same index selects names and labels.

import type { HostNameFact, NamespaceFact, PodFact } from "./facts.ts";
import type { Labels } from "./labels.ts";
import type { Selector } from "./selector.ts";
import { requirements } from "./selector.ts";

/** Key of the namespace's name, among the labels that selectors match. */
export const nameKey = "#name";
/** Key of a host name, which has no labels beside it. */
export const hostNameKey = "#hostName";
/** Key of the pod's service account, among the labels that selectors match. */
export const serviceAccountKey = "#serviceAccount";

/** Whether every object of a kind has this key beside its labels. */
export function isPseudoKey(key: string): boolean {
  return key.startsWith("#");
}

/** The same map as long as the fact is the same object. */
export function namespaceLabels(fact: NamespaceFact): Labels {
  return keptFor(fact, () => new Map([...fact.labels, [nameKey, fact.name]]));
}

/** The same map as long as the fact is the same object. */
export function podLabels(fact: PodFact): Labels {
  return keptFor(fact, () => new Map([...fact.labels, [serviceAccountKey, fact.serviceAccount]]));
}

/** Its name alone. */
export function hostNameLabels({ name }: HostNameFact): Labels {
  return new Map([[hostNameKey, name]]);
}

const kept = new WeakMap<NamespaceFact | PodFact, Labels>();

function keptFor(fact: NamespaceFact | PodFact, make: () => Labels): Labels {
  const known = kept.get(fact);
  if (known !== undefined) return known;
  const labels = make();
  kept.set(fact, labels);
  return labels;
}

/** Selects namespaces by name, whatever labels they have. */
export function namespacesNamed(names: readonly string[]): Selector {
  return requirements([{ operator: "In", key: nameKey, values: names }]);
}

/** The one namespace that the selector names; null: it may select others, or none. */
export function namespaceNamedBy(selector: Selector): string | null {
  if (selector.kind !== "requirements") return null;
  const named = selector.requirements.find(({ operator, key }) => operator === "In" && key === nameKey);
  const values = named !== undefined && "values" in named ? named.values : [];
  return values.length === 1 ? (values[0] ?? null) : null;
}

/** Selects pods by `spec.serviceAccountName`. */
export function podsRunningAs(serviceAccounts: readonly string[]): Selector {
  return requirements([{ operator: "In", key: serviceAccountKey, values: serviceAccounts }]);
}
