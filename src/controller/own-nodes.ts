// The policies by which nodes reach their own pods in one way (policy/own-node.ts): one for each node while there is an object of a
// kind that asks for them, understood or not, since rows of one that is not may exist and isolate pods. Follows the fact
// store. Invariant: after `settle` they are those of the present nodes, and a node that says the same costs nothing.

import { sameSequence } from "../lib/sequence.ts";
import type { FactChange } from "../model/fact-store.ts";
import type { NodeFact } from "../model/facts.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { OwnNodeWay } from "../policy/own-node.ts";
import { ownNodePolicy } from "../policy/own-node.ts";
import { reusing } from "../policy/reuse.ts";

/** Not both are null. */
export interface OwnNodeChange {
  readonly before: Policy | null;
  readonly after: Policy | null;
}

export class OwnNodes {
  readonly #nodes: Iterable<NodeFact>;
  readonly #zone: string | null;
  readonly #way: OwnNodeWay;
  /** The objects that ask for them. */
  readonly #asking = new Set<PolicyKey>();
  readonly #policies = new Map<string, Policy>();
  /** Nodes that may differ from their policies; null: the node was removed. */
  readonly #stale = new Map<string, NodeFact | null>();
  #isOn = false;

  /** `zone`: the only node that rows are written for; null: all are. */
  constructor(nodes: Iterable<NodeFact>, zone: string | null, way: OwnNodeWay) {
    this.#nodes = nodes;
    this.#zone = zone;
    this.#way = way;
  }

  ask(key: PolicyKey): void {
    this.#asking.add(key);
  }

  /** Forgetting a key that has not asked changes nothing. */
  forget(key: PolicyKey): void {
    this.#asking.delete(key);
  }

  follow(change: FactChange): void {
    if (change.kind === "Node" && this.#isOn) this.#stale.set(change.key, change.after);
  }

  policies(): Iterable<Policy> {
    return this.#policies.values();
  }

  /** What has changed since the last call. */
  settle(): readonly OwnNodeChange[] {
    const isOn = this.#asking.size > 0;
    if (isOn !== this.#isOn) {
      for (const node of this.#nodes) this.#stale.set(node.name, node);
      this.#isOn = isOn;
    }
    const changes = Array.from(this.#stale, ([name, node]) => this.#replace(name, isOn ? node : null));
    this.#stale.clear();
    return changes.flatMap((change) => change ?? []);
  }

  /** null: nothing has changed. */
  #replace(name: string, node: NodeFact | null): OwnNodeChange | null {
    if (this.#zone !== null && name !== this.#zone) return null;
    const before = this.#policies.get(name) ?? null;
    const after = node === null ? null : reusing(ownNodePolicy(node, this.#way), before);
    if (after === null) this.#policies.delete(name);
    else if (before !== null && sameSequence(before.rules.ingress, after.rules.ingress)) return null;
    else this.#policies.set(name, after);
    return before === null && after === null ? null : { before, after };
  }
}
