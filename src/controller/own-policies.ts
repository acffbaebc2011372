// The policies that no object is behind: those by which nodes reach their own pods (own-nodes.ts), and the one about what is outside
// of the networks of a cluster (policy/outside.ts), which is in force while any policy object is there.

import type { FactChange } from "../model/fact-store.ts";
import type { NodeFact } from "../model/facts.ts";
import type { Cidr } from "../model/ip.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import { outsidePolicy } from "../policy/outside.ts";
import type { OwnNodeWay } from "../policy/own-node.ts";
import type { OwnNodeChange } from "./own-nodes.ts";
import { OwnNodes } from "./own-nodes.ts";

interface OwnPoliciesOptions {
  readonly nodes: Iterable<NodeFact>;
  /** The only node that rows are written for; null: all are. */
  readonly zone: string | null;
  /** The networks outside of which policies say nothing; none: there is no outside. */
  readonly inside: readonly Cidr[];
}

export class OwnPolicies {
  readonly #nodes: Readonly<Record<OwnNodeWay, OwnNodes>>;
  /** null: there is no outside. */
  readonly #outside: Policy | null;
  #isOutsideThere = false;

  constructor({ nodes, zone, inside }: OwnPoliciesOptions) {
    const ownNodes = (way: OwnNodeWay) => new OwnNodes(nodes, zone, way);
    this.#nodes = {
      first: ownNodes("first"),
      beforeTiers: ownNodes("beforeTiers"),
      namespaced: ownNodes("namespaced"),
    };
    this.#outside = outsidePolicy(inside);
  }

  /** The object asks for ways of nodes to their own pods. */
  ask(key: PolicyKey, way: OwnNodeWay): void {
    this.#nodes[way].ask(key);
  }

  /** Forgetting a key that has not asked changes nothing. */
  forget(key: PolicyKey): void {
    for (const ownNodes of this.#eachWay()) ownNodes.forget(key);
  }

  follow(change: FactChange): void {
    for (const ownNodes of this.#eachWay()) ownNodes.follow(change);
  }

  *policies(): Generator<Policy, void> {
    for (const ownNodes of this.#eachWay()) yield* ownNodes.policies();
    if (this.#outside !== null && this.#isOutsideThere) yield this.#outside;
  }

  /** What has changed since the last call. `isAnyThere`: whether there is a policy object. */
  settle(isAnyThere: boolean): readonly OwnNodeChange[] {
    const changes = this.#eachWay().flatMap((ownNodes) => ownNodes.settle());
    const policy = this.#outside;
    if (policy === null || isAnyThere === this.#isOutsideThere) return changes;
    this.#isOutsideThere = isAnyThere;
    return [...changes, isAnyThere ? { before: null, after: policy } : { before: policy, after: null }];
  }

  #eachWay(): readonly OwnNodes[] {
    return Object.values(this.#nodes);
  }
}
