// The IP families that the cluster serves, counted from facts: the families of the Nodes' podCIDRs and of the pods'
// addresses; without either, IPv4. Traffic of a served family without rows would pass unfiltered, so a family counts as
// soon as either of them shows it.

import { CountedSet } from "../lib/counted-set.ts";
import { unreachable } from "../lib/invariant.ts";
import type { FactChange } from "../model/fact-store.ts";
import type { NodeFact, PodFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyOf, ipFamilies } from "../model/ip.ts";

const none: ReadonlySet<IpFamily> = new Set();

export class FamilyCensus {
  readonly #ofNodes = new CountedSet<IpFamily>();
  readonly #ofPods = new CountedSet<IpFamily>();

  /** v4 before v6; never empty. */
  get families(): readonly IpFamily[] {
    const served = ipFamilies.filter((family) => this.#ofNodes.has(family) || this.#ofPods.has(family));
    return served.length > 0 ? served : ["v4"];
  }

  /** Applies a change of the fact store; call it once for every change. */
  follow(change: FactChange): void {
    switch (change.kind) {
      case "Pod":
        replace(this.#ofPods, familiesOfPod(change.before), familiesOfPod(change.after));
        break;
      case "HostName":
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
