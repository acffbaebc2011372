// Which IP families the cluster serves, counted from facts: those of the Nodes' podCIDRs and those of the pods' addresses;
// where there are none, IPv4. A family that is served but not programmed would be a hole in every policy, so that what
// either of them shows counts.

import { CountedSet } from "../lib/counted-set.ts";
import type { NodeFact, PodFact, PodKey } from "../model/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";

const order: readonly IpFamily[] = ["v4", "v6"];

export class FamilyCensus {
  readonly #ofNodes = new CountedSet<IpFamily>();
  readonly #ofPods = new CountedSet<IpFamily>();
  readonly #nodes = new Map<string, readonly IpFamily[]>();
  readonly #pods = new Map<PodKey, readonly IpFamily[]>();

  /** v4 before v6; never empty. */
  get families(): readonly IpFamily[] {
    const served = order.filter((family) => this.#ofNodes.has(family) || this.#ofPods.has(family));
    return served.length > 0 ? served : ["v4"];
  }

  setNode(node: NodeFact): void {
    replace(this.#ofNodes, this.#nodes, node.name, node.podFamilies);
  }

  deleteNode(name: string): void {
    replace(this.#ofNodes, this.#nodes, name, []);
  }

  setPod(pod: PodFact): void {
    const families = isOnPodNetwork(pod) ? [...new Set(pod.ips.map(familyOf))] : [];
    replace(this.#ofPods, this.#pods, podKey(pod.namespace, pod.name), families);
  }

  deletePod(key: PodKey): void {
    replace(this.#ofPods, this.#pods, key, []);
  }
}

function replace<K>(
  counted: CountedSet<IpFamily>,
  held: Map<K, readonly IpFamily[]>,
  key: K,
  families: readonly IpFamily[],
): void {
  for (const family of families) counted.add(family);
  for (const family of held.get(key) ?? []) counted.remove(family);
  if (families.length > 0) held.set(key, families);
  else held.delete(key);
}
