// Which members of groups are local: pods on the node that the backend writes for, or every pod where it writes for all
// nodes. Reads the membership at each call: nothing is kept, so nothing can be stale.

import type { PodFact, PodKey } from "../model/facts.ts";
import type { GroupKey } from "../policy/ir.ts";
import type { Membership } from "../policy/contracts/membership.ts";

export class LocalPods {
  readonly #membership: Membership;
  readonly #zone: string | null;

  /** `zone`: a node's name; null: every pod is local. */
  constructor(membership: Membership, zone: string | null) {
    this.#membership = membership;
    this.#zone = zone;
  }

  get areAll(): boolean {
    return this.#zone === null;
  }

  /** `node`: the pod's node; null: not scheduled yet. */
  isOn(node: string | null): boolean {
    return this.#zone === null || node === this.#zone;
  }

  /** Whether the pod is a local member of any of the groups. */
  has(groups: readonly GroupKey[], key: PodKey): boolean {
    const isMember = groups.some((group) => this.#membership.pods(group).has(key));
    return isMember && this.isOn(this.#membership.pod(key).node);
  }

  /** The local members of any of the groups, each once. */
  *of(groups: readonly GroupKey[]): Generator<PodFact> {
    // One look for each pod, however many groups there are.
    const seen = groups.length > 1 ? new Set<PodKey>() : null;
    for (const group of groups) {
      for (const key of this.#membership.pods(group).keys()) {
        if (seen?.has(key) === true) continue;
        seen?.add(key);
        const pod = this.#membership.pod(key);
        if (this.isOn(pod.node)) yield pod;
      }
    }
  }
}
