// Which IP families the cluster serves, counted from facts: those of the Nodes' podCIDRs and those of the pods' addresses;
// where there are none, IPv4. A family that is served but not programmed would be a hole in every policy, so that what
// either of them shows counts.

import { CountedSet } from "../lib/counted-set.ts";
import { unreachable } from "../lib/invariant.ts";
import type { FactChange } from "../model/fact-store.ts";
import type { NodeFact, PodFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";

const order: readonly IpFamily[] = ["v4", "v6"];
const none: ReadonlySet<IpFamily> = new Set();

export class FamilyCensus {
  readonly #ofNodes = new CountedSet<IpFamily>();
  readonly #ofPods = new CountedSet<IpFamily>();

  /** v4 before v6; never empty. */
  get families(): readonly IpFamily[] {
    const served = order.filter((family) => this.#ofNodes.has(family) || this.#ofPods.has(family));
    return served.length > 0 ? served : ["v4"];
  }

  /** Takes in what has just changed in the fact store: every change, once. */
  follow(change: FactChange): void {
    switch (change.kind) {
      case "Pod":
        replace(this.#ofPods, familiesOfPod(change.before), familiesOfPod(change.after));
        break;
      case "Node":
        replace(this.#ofNodes, familiesOfNode(change.before), familiesOfNode(change.after));
        break;
      case "Namespace":
        break;
      default:
        unreachable(change);
    }
  }
}

/** Each once. */
function familiesOfPod(pod: PodFact | null): ReadonlySet<IpFamily> {
  return pod !== null && isOnPodNetwork(pod) ? new Set(pod.ips.map(familyOf)) : none;
}

function familiesOfNode(node: NodeFact | null): ReadonlySet<IpFamily> {
  return node === null ? none : new Set(node.podFamilies);
}

function replace(
  counted: CountedSet<IpFamily>,
  before: ReadonlySet<IpFamily>,
  after: ReadonlySet<IpFamily>,
): void {
  for (const family of after) counted.add(family);
  for (const family of before) counted.remove(family);
}
