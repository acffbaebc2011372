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

  /** Each namespace that has pods; its list is the same one until a pod of it changes. */
  namespaces(): Iterable<readonly [namespace: string, pods: readonly PodFact[]]> {
    return this.#byNamespace;
  }

  /** Looks at every pod. */
  refresh(pods: Pods): void {
    const now = [...pods.values()];
    const { left, come } = changedIn(this.#list, now);
    if (left.length + come.length === 0) return;
    this.#list = now;
    this.#fileNamespaces(new Set([...left, ...come].map(({ namespace }) => namespace)));
    this.#fileAddresses(left, come.filter(isOnPodNetwork));
  }

  #fileNamespaces(changed: ReadonlySet<string>): void {
    // In their places, where they have one.
    for (const namespace of changed) this.#byNamespace.set(namespace, []);
    for (const pod of this.#list)
      if (changed.has(pod.namespace)) this.#byNamespace.get(pod.namespace)?.push(pod);
    for (const namespace of changed)
      if (this.#byNamespace.get(namespace)?.length === 0) this.#byNamespace.delete(namespace);
  }

  #fileAddresses(left: readonly PodFact[], come: readonly PodFact[]): void {
    const changed = new Set([...left, ...come].flatMap(({ ips }) => ips));
    const isLeft = new Set(left);
    for (const ip of changed) {
      const stay = this.holders(ip).filter((pod) => !isLeft.has(pod));
      if (stay.length === 0) this.#holders.delete(ip);
      else this.#holders.set(ip, stay);
    }
    for (const pod of come) for (const ip of pod.ips) append(this.#holders, ip, pod);
    const shared = [...changed].filter((ip) => this.holders(ip).length > 1);
    if (shared.length === 0) return;
    const places = new Map(this.#list.map((pod, at) => [pod, at]));
    const placeOf = (pod: PodFact) => places.get(pod) ?? 0;
    for (const ip of shared) this.#holders.get(ip)?.sort((one, other) => placeOf(one) - placeOf(other));
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

interface Changed {
  /** Those that are there no more. */
  readonly left: readonly PodFact[];
  readonly come: readonly PodFact[];
}

/** A map has what is new at its end, and what replaces another in the place of that. */
function changedIn(before: readonly PodFact[], now: readonly PodFact[]): Changed {
  const left: PodFact[] = [];
  const come: PodFact[] = [];
  let at = 0;
  for (const pod of now) {
    for (let old = before[at]; old !== undefined && old !== pod && !isOfOneName(old, pod); old = before[++at])
      left.push(old);
    const old = before[at++];
    if (old === pod) continue;
    come.push(pod);
    if (old !== undefined) left.push(old);
  }
  return { left: [...left, ...before.slice(at)], come };
}

/** Whether one has replaced the other. */
function isOfOneName(one: PodFact, other: PodFact): boolean {
  return one.name === other.name && one.namespace === other.namespace;
}
