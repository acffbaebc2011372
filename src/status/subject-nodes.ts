// On how many nodes a policy has pods that it applies to, for statuses that count nodes. Policies wait their turn: a look
// walks so many pods and no more, so that a change of many pods costs no pause. Pods that are on no node do not count.

import type { Membership } from "../policy/contracts/membership.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import { everySubject } from "../policy/every-subject.ts";
import { groupKey } from "../policy/ir.ts";

/** Pods that one look may walk, about 2 ms; the last policy of a look may go beyond. */
const podsPerLook = 20_000;

export interface SubjectNodesOptions {
  readonly membership: Pick<Membership, "pods" | "pod">;
  /** In plain rules; null: there is none in force. */
  readonly policy: (key: PolicyKey) => Policy | null;
}

export class SubjectNodes {
  readonly #options: SubjectNodesOptions;
  readonly #due = new Set<PolicyKey>();
  #walked = 0;

  constructor(options: SubjectNodesOptions) {
    this.#options = options;
  }

  count(key: PolicyKey): number {
    const { membership, policy } = this.#options;
    const nodes = new Set<string>();
    for (const group of groupsOfSubjects(policy(key)))
      for (const pod of membership.pods(group).keys()) {
        const { node } = membership.pod(pod);
        if (node !== null) nodes.add(node);
        this.#walked++;
      }
    return nodes.size;
  }

  /** Its pods may have changed. */
  touch(key: PolicyKey): void {
    this.#due.add(key);
  }

  forget(key: PolicyKey): void {
    this.#due.delete(key);
  }

  /** The policies whose turn it is, counted. */
  *look(): Generator<readonly [PolicyKey, number]> {
    this.#walked = 0;
    for (const key of this.#due) {
      if (this.#walked >= podsPerLook) return;
      this.#due.delete(key);
      yield [key, this.count(key)];
    }
  }
}

function groupsOfSubjects(policy: Policy | null) {
  if (policy === null) return [];
  return new Set(everySubject(policy).map(groupKey));
}
