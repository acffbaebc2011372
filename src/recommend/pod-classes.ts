// Pods of a namespace that the same selector can mean: those with equal labels, without the labels that controllers generate for each
// rollout or pod. Invariant: the selector of a class selects its pods, and no pod of another class of the namespace.

import { isGiven } from "../analysis/plainest-first.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { PodFact } from "../model/facts.ts";
import type { Labels } from "../model/labels.ts";
import { canonicalLabels } from "../model/labels.ts";
import type { Workload } from "../model/workload.ts";
import { ownersOf } from "../model/workload.ts";
import type { LabelSelectorManifest } from "./manifest.ts";

export interface PodClass {
  readonly namespace: string;
  /** Of the workload that has made the pods; of several the first by name; without one, of the first pod. */
  readonly name: string;
  readonly pods: readonly PodFact[];
  readonly selector: LabelSelectorManifest;
}

function ownLabels({ labels }: PodFact): Labels {
  return new Map([...labels].filter(([key]) => !isGiven(key)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export class PodClasses {
  readonly #byNamespace = new Map<string, readonly PodClass[]>();
  readonly #ofPod = new Map<PodFact, PodClass>();

  /** `workloads`: those that stand for pods which are not there. */
  constructor(pods: Iterable<PodFact>, workloads: readonly Workload[]) {
    const all = [...pods, ...workloads.map(({ template }) => template)].filter(mayBeSelected);
    const names = new Map(workloads.map(({ template, name }) => [template, name]));
    for (const [namespace, own] of Map.groupBy(all, (pod) => pod.namespace)) {
      const classes = classesOf(namespace, own, names);
      this.#byNamespace.set(namespace, classes);
      for (const one of classes) for (const pod of one.pods) this.#ofPod.set(pod, one);
    }
  }

  /** null: no policy selects the pod. */
  of(pod: PodFact): PodClass | null {
    return this.#ofPod.get(pod) ?? null;
  }

  /** By name. */
  in(namespace: string): readonly PodClass[] {
    return this.#byNamespace.get(namespace) ?? [];
  }
}

/** Also before it has a node. */
function mayBeSelected(pod: PodFact): boolean {
  return isOnPodNetwork({ ...pod, node: pod.node ?? "" });
}

function classesOf(
  namespace: string,
  pods: readonly PodFact[],
  names: ReadonlyMap<PodFact, string>,
): readonly PodClass[] {
  const nameOf = (pod: PodFact): string => names.get(pod) ?? ownersOf(pod).at(-1)?.name ?? pod.name;
  const groups = [...Map.groupBy(pods, (pod) => canonicalLabels(ownLabels(pod))).values()];
  const sets = groups.map(([first]) => (first === undefined ? new Map<string, string>() : ownLabels(first)));
  const classes = groups.map((own, at): PodClass => {
    const [name = ""] = own.map(nameOf).sort();
    const labels = sets[at] ?? new Map<string, string>();
    return { namespace, name, pods: own, selector: selectorOf(labels, sets) };
  });
  return classes.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function orderOf({ name, selector }: PodClass): string {
  return JSON.stringify([name, selector]);
}

/** What has the same labels and others beside them is left out by the keys of those. */
function selectorOf(labels: Labels, all: readonly Labels[]): LabelSelectorManifest {
  let wider = all.filter(
    (other) => other.size > labels.size && [...labels].every(([key, value]) => other.get(key) === value),
  );
  const absent: string[] = [];
  while (wider.length > 0) {
    const counts = new Map<string, number>();
    for (const key of wider.flatMap((other) => [...other.keys()]))
      if (!labels.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
    const [best] = [...counts].sort(([a, often], [b, other]) => other - often || (a < b ? -1 : 1));
    if (best === undefined) break;
    const [key] = best;
    absent.push(key);
    wider = wider.filter((other) => !other.has(key));
  }
  return {
    ...(labels.size === 0 ? {} : { matchLabels: Object.fromEntries(labels) }),
    ...(absent.length === 0
      ? {}
      : { matchExpressions: absent.sort().map((key) => ({ key, operator: "DoesNotExist" as const })) }),
  };
}
