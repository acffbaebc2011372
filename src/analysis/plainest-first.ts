// Labels in the order in which people are shown them: keys that name an application first, then others by key, then those that
// controllers give, other ones to each pod or to each revision.

import type { Labels } from "../model/labels.ts";

/** Keys that name an application. */
export const tellingKeys: readonly string[] = [
  "app.kubernetes.io/name",
  "k8s-app",
  "app",
  "name",
  "app.kubernetes.io/component",
  "component",
  "role",
];

const givenKeys: readonly string[] = [
  "pod-template-hash",
  "pod-template-generation",
  "controller-revision-hash",
  "controller-uid",
  "job-name",
  "statefulset.kubernetes.io/pod-name",
  "apps.kubernetes.io/pod-index",
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
  "batch.kubernetes.io/job-completion-index",
];

/** Whether a controller gives the label to the pods that it makes. */
export function isGiven(key: string): boolean {
  return givenKeys.includes(key);
}

export function plainestFirst(labels: Labels): readonly (readonly [string, string])[] {
  const rank = (key: string) => {
    if (tellingKeys.includes(key)) return tellingKeys.indexOf(key);
    return tellingKeys.length + (isGiven(key) ? 1 : 0);
  };
  return [...labels].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
