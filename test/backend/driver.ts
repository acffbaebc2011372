// What an engine and a loop do for a backend, without either: facts go to real groups, the groups of what is desired are
// retained, edges are handed on before every commit. What the backend asks of the membership is counted.

import type { PodKey } from "../../src/model/facts.ts";
import type { Fact } from "../../src/model/object.ts";
import type { Backend, CommitOutcome } from "../../src/policy/contracts/backend.ts";
import type { Policy, PolicyKey } from "../../src/policy/ir.ts";
import { groupsOf } from "../support/groups-of.ts";
import type { Membership, SetView } from "../../src/policy/contracts/membership.ts";
import { FedGroups } from "../support/fed-groups.ts";
import type { GeneratedWorld } from "./generator-world.ts";

export interface Looked {
  /** Members that the backend was shown one by one, and those that it asked for. */
  elements: number;
}

/** The membership that counts what is asked of it. */
export function countedMembership(membership: Membership, looked: Looked): Membership {
  const countAll = function* <T>(all: Iterable<T>): Generator<T, void> {
    for (const one of all) {
      looked.elements++;
      yield one;
    }
  };
  const counted = <T>(view: SetView<T>): SetView<T> => ({
    get size() {
      return view.size;
    },
    has: (value) => {
      looked.elements++;
      return view.has(value);
    },
    keys: () => countAll(view.keys()),
  });
  return {
    addresses: (group) => counted(membership.addresses(group)),
    pods: (group) => counted(membership.pods(group)),
    pod: (key) => membership.pod(key),
    namedPorts: (group, name) => countAll(membership.namedPorts(group, name)),
    holders: (group, address) => countAll(membership.holders(group, address)),
    groupsOf: (pod) => countAll(membership.groupsOf(pod)),
  };
}

export class Driver {
  readonly backend: Backend;
  readonly looked: Looked = { elements: 0 };
  readonly #groups = new FedGroups();
  readonly #desired = new Map<PolicyKey, Policy>();

  constructor(make: (membership: Membership) => Backend) {
    this.backend = make(countedMembership(this.#groups, this.looked));
  }

  /** What is desired now. */
  get policies(): readonly Policy[] {
    return [...this.#desired.values()];
  }

  see(...facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === "Pod") this.#groups.setPod(fact);
      else if (fact.kind === "Namespace") this.#groups.setNamespace(fact);
      else if (fact.kind === "Node") this.#groups.setNode(fact);
      else this.#groups.setHostName(fact);
    }
  }

  seeWorld({ namespaces, nodes, pods, hostNames }: GeneratedWorld): void {
    this.see(...namespaces.values(), ...nodes, ...pods, ...hostNames);
  }

  forgetPod(key: PodKey): void {
    this.#groups.deletePod(key);
  }

  forgetNamespace(name: string): void {
    this.#groups.deleteNamespace(name);
  }

  forgetNode(name: string): void {
    this.#groups.deleteNode(name);
  }

  forgetHostName(name: string): void {
    this.#groups.deleteHostName(name);
  }

  /** As the engine does it: new groups are retained before the policy is handed on, old ones released after. */
  apply(...policies: readonly Policy[]): void {
    for (const policy of policies) {
      const before = this.#desired.get(policy.key);
      for (const group of groupsOf(policy)) this.#groups.retain(group);
      this.#desired.set(policy.key, policy);
      this.backend.upsert(policy);
      if (before !== undefined) for (const group of groupsOf(before)) this.#groups.release(group);
    }
  }

  remove(key: PolicyKey): void {
    const before = this.#desired.get(key);
    this.#desired.delete(key);
    this.backend.remove(key);
    if (before !== undefined) for (const group of groupsOf(before)) this.#groups.release(group);
  }

  async commit(): Promise<CommitOutcome> {
    this.backend.touch(this.#groups.drain());
    return this.backend.commit();
  }
}
