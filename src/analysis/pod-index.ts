// The pods by namespace and by address, kept as long as the pods are one map: after a change every pod is compared with that of before, by
// identity, and only namespaces and addresses of pods that changed are filed again. The pods must not change between two refreshes
// while it is used.

import { append } from "../lib/append.ts";
import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";

export interface Pods {
  values(): Iterable<PodFact>;
}

export class PodIndex {
  #list: readonly PodFact[] = [];
  readonly #byNamespace = new Map<string, PodFact[]>();
  /** Of pods on the pod network; several only where an address was given twice. */
  readonly #holders = new Map<IpAddress, PodFact[]>();

  /** The same list until a pod changes. */
  get list(): readonly PodFact[] {
    return this.#list;
  }

  /** In the order of all. */
  of(namespace: string): readonly PodFact[] {
    return this.#byNamespace.get(namespace) ?? [];
  }

  /** The pods on the pod network that have the address: one or none, unless an address was given twice. */
  holders(ip: IpAddress): readonly PodFact[] {
    return this.#holders.get(ip) ?? [];
  }

  /** Those that have holders. */
  addresses(): Iterable<IpAddress> {
    return this.#holders.keys();
  }

  /** Looks at every pod. */
  refresh(pods: Pods): void {
    const now = [...pods.values()];
    const changed = changedIn(this.#list, now);
    if (changed.length === 0) return;
    const namespaces = new Set(changed.map(({ namespace }) => namespace));
    const ips = new Set(changed.flatMap((pod) => pod.ips));
    for (const namespace of namespaces) this.#byNamespace.delete(namespace);
    for (const ip of ips) this.#holders.delete(ip);
    for (const pod of now) {
      if (namespaces.has(pod.namespace)) append(this.#byNamespace, pod.namespace, pod);
      if (!isOnPodNetwork(pod)) continue;
      for (const ip of pod.ips) if (ips.has(ip)) append(this.#holders, ip, pod);
    }
    this.#list = now;
  }
}

const kept = new WeakMap<Pods, PodIndex>();

/** Of the pods as they are now. */
export function podIndexOf(pods: Pods): PodIndex {
  const index = kept.get(pods) ?? new PodIndex();
  kept.set(pods, index);
  index.refresh(pods);
  return index;
}

/** Those of either list that the other has not: a map has what is new at its end, and what is replaced in its place. */
function changedIn(before: readonly PodFact[], now: readonly PodFact[]): readonly PodFact[] {
  const changed: PodFact[] = [];
  let at = 0;
  for (const pod of now) {
    for (let old = before[at]; old !== undefined && old !== pod && !isOfOneName(old, pod); old = before[++at])
      changed.push(old);
    const old = before[at++];
    if (old === pod) continue;
    changed.push(pod);
    if (old !== undefined) changed.push(old);
  }
  return [...changed, ...before.slice(at)];
}

/** Whether one has replaced the other. */
export function isOfOneName(one: PodFact, other: PodFact): boolean {
  return one.name === other.name && one.namespace === other.namespace;
}
