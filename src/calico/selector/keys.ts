// The labels that Calico adds to what selectors select, in terms of ours: the pod's namespace and service account, and the
// namespace's name, have keys of their own, which every object has; Calico's label wins over one of the same key that a user
// wrote. Inside Calico the labels of namespaces and service accounts are labels of the pod too (`pcns.`, `pcsa.`); selectors that
// ask for these are taken as they stand.

import { conjunctionOf, folded, nothing, replaced } from "../../model/selectors/folding.ts";
import type { Labels } from "../../model/labels.ts";
import { namespaceOfPodKey } from "../../model/objects/namespace-of-pod.ts";
import { nameKey, serviceAccountKey } from "../../model/selectable.ts";
import type { Requirement, Selector } from "../../model/selector.ts";
import { everything, requirements, selects } from "../../model/selector.ts";

const namespaceLabel = "projectcalico.org/namespace";
/** The label that every service account and every namespace has beside its own. */
export const nameLabel = "projectcalico.org/name";
const serviceAccountLabel = "projectcalico.org/serviceaccount";
const orchestratorLabels: Labels = new Map([["projectcalico.org/orchestrator", "k8s"]]);

/** A service account with a longer name has no label on its pods. */
const mostServiceAccountLength = 62;

/** Whether the name of a service account is no label of its pods. */
export function isLong(serviceAccount: string): boolean {
  return serviceAccount.length > mostServiceAccountLength;
}

/**
 * Of pods; `namespaceOfPodKey` is left for `splitByNamespace`. `long`: the service accounts whose names are no labels, which only some
 * selectors depend on.
 */
export function podSelector(selector: Selector, long: () => readonly string[]): Selector {
  return replaced(selector, (one) => {
    if (one.key === namespaceLabel) return under(namespaceOfPodKey, one);
    if (one.key === serviceAccountLabel) return underServiceAccount(one, long);
    return orchestratorLabels.has(one.key) ? constant(one) : folded(one);
  });
}

/** Of namespaces. */
export function namespaceSelector(selector: Selector): Selector {
  return replaced(selector, (one) => (one.key === nameLabel ? under(nameKey, one) : folded(one)));
}

/** What selectors of service accounts select. */
export function serviceAccountLabels(name: string, labels: Labels): Labels {
  return new Map([...labels, [nameLabel, name]]);
}

/** What selectors of namespaces select. */
export function namespaceLabels(name: string, labels: Labels): Labels {
  return new Map([...labels, [nameLabel, name]]);
}

/** What selectors of peers select of a network set. Its namespace's labels are asked for by another selector. */
export function networkSetLabels(namespace: string | null, labels: Labels): Labels {
  return namespace === null ? labels : new Map([...labels, [namespaceLabel, namespace]]);
}

/** The requirement of a key that every object has. */
function under(key: string, requirement: Requirement): Selector {
  if (requirement.operator === "Exists") return everything;
  return requirement.operator === "DoesNotExist" ? nothing : folded({ ...requirement, key });
}

/** Pods that run as an account of a long name lack the label. */
function underServiceAccount(requirement: Requirement, long: () => readonly string[]): Selector {
  const key = serviceAccountKey;
  if ("values" in requirement)
    return folded({ ...requirement, key, values: requirement.values.filter((name) => !isLong(name)) });
  const values = long();
  if (requirement.operator === "DoesNotExist") return folded({ operator: "In", key, values });
  const labelled = folded({ operator: "NotIn", key, values });
  return conjunctionOf([labelled, under(key, requirement)]);
}

function constant(requirement: Requirement): Selector {
  return selects(requirements([requirement]), orchestratorLabels) ? everything : nothing;
}
