// Objects that make pods: Deployments and the like. A workload stands for pods that are not there yet: their labels, service account
// and ports are in its template, their addresses and nodes are unknown. Which workloads are ends follows from ownerReferences.

import { append } from "../lib/append.ts";
import type { Owner, PodFact } from "./facts.ts";
import { podKey } from "./facts.ts";
import type { GroupKind, KindText, ObjectKey } from "./object.ts";
import { kindText, objectKey } from "./object.ts";

export interface Workload extends GroupKind {
  readonly namespace: string;
  readonly name: string;
  /** null: nothing has made it. */
  readonly owner: Owner | null;
  /** A later pod: without an address, on the node `anyNode`, under a name that no pod can have. */
  readonly template: PodFact;
  /** It is of a rollout that is over: what owns it has asked for no pods of it. */
  readonly isSpent: boolean;
}

/** The node of a template: no Node has this name. */
export const anyNode = "";

export function workloadKey({ namespace, name, ...kind }: Owner & { readonly namespace: string }): ObjectKey {
  return objectKey(kind, namespace, name);
}

/** For people: `shop/web (Deployment)`. */
export function workloadText({
  kind,
  namespace,
  name,
}: Pick<Workload, "kind" | "namespace" | "name">): string {
  return `${namespace}/${name} (${kind})`;
}

/** A template is called `Deployment:web`, as no pod can be. */
export function templateName({ kind, name }: Pick<Workload, "kind" | "name">): string {
  return `${kind}:${name}`;
}

/** A pod as people call it; a template as its workload. */
export function podText({ namespace, name, isTemplate }: PodFact): string {
  if (isTemplate !== true) return podKey(namespace, name);
  const [kind = "", own = ""] = name.split(":");
  return workloadText({ kind, namespace, name: own });
}

const apps = (kind: string): GroupKind => ({ group: "apps", kind });
const batch = (kind: string): GroupKind => ({ group: "batch", kind });

/** By kind, the way to the template of its pods. */
const templates: ReadonlyMap<KindText, readonly string[]> = new Map([
  ...["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"].map((kind) => of(apps(kind), "template")),
  of(batch("Job"), "template"),
  of(batch("CronJob"), "jobTemplate", "spec", "template"),
]);

function of(kind: GroupKind, ...way: readonly string[]): readonly [KindText, readonly string[]] {
  return [kindText(kind), ["spec", ...way]];
}

/** The fields that lead to the template; null: the kind makes no pods. */
export function templateOf(kind: GroupKind): readonly string[] | null {
  return templates.get(kindText(kind)) ?? null;
}

/** The label in which a Deployment's ReplicaSet and its pods have the last part of the ReplicaSet's name. */
const hashLabel = "pod-template-hash";

/**
 * Who has made the pod, the nearest first. Names say who owns the owner where it is not there: a Deployment calls its ReplicaSets
 * NAME-HASH, with the hash as a label, and a CronJob its Jobs NAME-MINUTES.
 */
export function ownersOf({ owner, labels }: Pick<PodFact, "owner" | "labels">): readonly Owner[] {
  if (owner === undefined) return [];
  const { kind, name } = owner;
  const hash = labels.get(hashLabel) ?? "";
  if (kind === "ReplicaSet" && hash !== "" && name.endsWith(`-${hash}`))
    return [owner, { ...apps("Deployment"), name: name.slice(0, -1 - hash.length) }];
  const minutes = kind === "Job" ? /-\d{8,}$/.exec(name) : null;
  return minutes === null ? [owner] : [owner, { ...batch("CronJob"), name: name.slice(0, minutes.index) }];
}

/** By the key of a workload, the pods that it owns, itself or through another. */
export function podsByOwner(
  pods: Iterable<PodFact>,
  workloads: readonly Workload[],
): ReadonlyMap<ObjectKey, readonly PodFact[]> {
  const above = new Map(workloads.map((one) => [workloadKey(one), one.owner]));
  const found = new Map<ObjectKey, PodFact[]>();
  for (const pod of pods) {
    const keys = new Set(
      ownersOf(pod).flatMap((owner) => withOwners({ ...owner, namespace: pod.namespace }, above)),
    );
    for (const key of keys) append(found, key, pod);
  }
  return found;
}

type Above = ReadonlyMap<ObjectKey, Owner | null>;

/** The key of the owner, and those of what owns it as far as that is there. */
function withOwners(owner: Owner & { readonly namespace: string }, above: Above): readonly ObjectKey[] {
  const keys: ObjectKey[] = [];
  for (let next: Owner | null = owner; next !== null;) {
    const key = workloadKey({ ...next, namespace: owner.namespace });
    if (keys.includes(key)) break;
    keys.push(key);
    next = above.get(key) ?? null;
  }
  return keys;
}

/** The workloads that stand for pods: none of which a pod, or another workload that it owns, is there. */
export function endsAmong(workloads: readonly Workload[], pods: Iterable<PodFact>): readonly Workload[] {
  const living = workloads.filter(({ isSpent }) => !isSpent);
  const owning = new Set(podsByOwner(pods, workloads).keys());
  for (const { owner, namespace } of living)
    if (owner !== null) owning.add(workloadKey({ ...owner, namespace }));
  return living.filter((one) => !owning.has(workloadKey(one)));
}
