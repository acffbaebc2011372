// Which pods are on which node, kept only while a node's pods are asked for. Node and labels are no part of one another:
// an identity is shared by replicas wherever they run. Answers for retained nodes alone. Invariant: the answers are
// those of the present facts, and a pod that was added to a retained node or removed from it since the last drain is touched.

import { invariant } from "../lib/invariant.ts";
import { Multimap } from "../lib/multimap.ts";
import type { PodChange } from "../model/fact-store.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { GroupKey } from "../policy/ir.ts";
import { groupKey } from "../policy/ir.ts";

export class PodsByNode {
  readonly #facts: { readonly pods: ReadonlyMap<PodKey, PodFact> };
  readonly #retained = new Set<GroupKey>();
  /** By node; of every node while one is retained: so that the pods are walked once and not once a node. */
  readonly #pods = new Multimap<GroupKey, PodKey>();
  #touched = new Map<GroupKey, Set<PodKey>>();

  constructor(facts: { readonly pods: ReadonlyMap<PodKey, PodFact> }) {
    this.#facts = facts;
  }

  /** The first to retain a node walks all pods. */
  retain(key: GroupKey): void {
    if (this.#retained.size === 0)
      for (const [pod, fact] of this.#facts.pods) {
        const home = homeOf(fact);
        if (home !== null) this.#pods.add(home, pod);
      }
    this.#retained.add(key);
  }

  release(key: GroupKey): void {
    invariant(this.#retained.delete(key), "a node's pods were released that nobody retains");
    this.#touched.delete(key);
    if (this.#retained.size > 0) return;
    for (const home of [...this.#pods.keys()])
      for (const pod of [...this.#pods.get(home)]) this.#pods.remove(home, pod);
  }

  follow({ key, before, after }: PodChange): void {
    if (this.#retained.size === 0) return;
    const [from, to] = [homeOf(before), homeOf(after)];
    if (from === to) return;
    if (from !== null) this.#pods.remove(from, key);
    if (to !== null) this.#pods.add(to, key);
    for (const home of [from, to]) if (home !== null) this.#touch(home, key);
  }

  /** undefined: not retained here. */
  of(key: GroupKey): ReadonlySet<PodKey> | undefined {
    if (!this.#retained.has(key)) return undefined;
    return this.#pods.get(key);
  }

  /** The pod's own node, if that is retained. */
  groupsOf(pod: PodKey): readonly GroupKey[] {
    const home = this.#retained.size === 0 ? null : homeOf(this.#facts.pods.get(pod) ?? null);
    return home !== null && this.#retained.has(home) ? [home] : [];
  }

  drain(): ReadonlyMap<GroupKey, ReadonlySet<PodKey>> {
    const touched = this.#touched;
    this.#touched = new Map();
    return touched;
  }

  #touch(home: GroupKey, pod: PodKey): void {
    if (!this.#retained.has(home)) return;
    const touched = this.#touched.get(home);
    if (touched === undefined) this.#touched.set(home, new Set([pod]));
    else touched.add(pod);
  }
}

/** null: policies do not apply to the pod. */
function homeOf(pod: PodFact | null): GroupKey | null {
  if (pod?.node == null || !isOnPodNetwork(pod)) return null;
  return groupKey({ kind: "podsOfNode", node: pod.node });
}
