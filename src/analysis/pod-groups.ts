// Which workload a pod is of, for people: what controls it, where that was read; otherwise the labels that it has in common with
// others of its namespace. Names are users' text; the caller that prints them makes them harmless.

import type { PodFact, PodKey } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { Labels } from "../model/labels.ts";
import { ownersOf } from "../model/workload.ts";
import { kindOfWord, wordOf } from "./end-query.ts";
import { isGiven, plainestFirst } from "./plainest-first.ts";

export interface PodGroup {
  /** `shop/web`, or `shop/[app=web]` where nothing is read of what controls the pods, or `shop/(no labels)`. */
  readonly title: string;
  readonly namespace: string;
  /** `Deployment`; null: what controls the pods was not read. */
  readonly kind: string | null;
  /** null: likewise. */
  readonly name: string | null;
}

export function podGroupOf(pod: PodFact): PodGroup {
  const { namespace, owner, labels } = pod;
  // The owner of a static pod is its node.
  if (owner === undefined || owner.kind === "Node") {
    const text = labelsText(labels);
    const title = `${namespace}/${text === "" ? "(no labels)" : `[${text}]`}`;
    return { title, namespace, kind: null, name: null };
  }
  // A Deployment controls its pods through a ReplicaSet. A Job stands for itself: each run of a CronJob has its own pods.
  const { kind, name } = ownersOf(pod).find((one) => one.kind === "Deployment") ?? owner;
  return { title: `${namespace}/${name}`, namespace, kind, name };
}

/**
 * The end that means the pods of the group: `shop/deploy/web`, or `shop/[app=web]`, which means other pods with these labels too.
 * null: it has no labels, or what controls the pods is of a kind that no end names.
 */
export function endOfGroup({ title, namespace, kind, name }: PodGroup): string | null {
  if (kind === null || name === null) return title.startsWith(`${namespace}/[`) ? title : null;
  const word = wordOf({ group: "", kind });
  return kindOfWord(word) === null ? null : `${namespace}/${word}/${name}`;
}

function labelsText(labels: Labels): string {
  return plainestFirst(labels)
    .filter(([key]) => !isGiven(key))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** Each pod's group: one object for all pods of a group; and how many pods with an address on the pod network are of it. */
export class PodGroups {
  readonly #groups = new Map<string, PodGroup>();
  readonly #ofPod = new Map<PodKey, PodGroup>();
  readonly #counts = new Map<PodGroup, number>();

  constructor(pods: ReadonlyMap<PodKey, PodFact>) {
    for (const [key, pod] of pods) {
      const made = podGroupOf(pod);
      const text = `${made.kind ?? ""} ${made.title}`;
      const group = this.#groups.get(text) ?? made;
      this.#groups.set(text, group);
      this.#ofPod.set(key, group);
      if (isOnPodNetwork(pod) && pod.ips.length > 0) this.#counts.set(group, this.sizeOf(group) + 1);
    }
  }

  /** Throws for a pod that was not given. */
  of(key: PodKey): PodGroup {
    const group = this.#ofPod.get(key);
    if (group === undefined) throw new RangeError(`pod ${key} is of no group`);
    return group;
  }

  sizeOf(group: PodGroup): number {
    return this.#counts.get(group) ?? 0;
  }
}
