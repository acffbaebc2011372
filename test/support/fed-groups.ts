// Groups over a fact store of their own, for tests that have no engine: a fact goes to the store, its change to the groups.

import { Groups } from "../../src/groups/index.ts";
import type { FactChange } from "../../src/model/fact-store.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import type { HostNameFact, NamespaceFact, NodeFact, PodFact, PodKey } from "../../src/model/facts.ts";

export class FedGroups extends Groups {
  readonly #facts: FactStore;

  constructor(facts = new FactStore()) {
    super(facts);
    this.#facts = facts;
  }

  setPod(fact: PodFact): void {
    this.#feed(this.#facts.put(fact));
  }

  deletePod(key: PodKey): void {
    this.#feed(this.#facts.dropPod(key));
  }

  setNamespace(fact: NamespaceFact): void {
    this.#feed(this.#facts.put(fact));
  }

  deleteNamespace(name: string): void {
    this.#feed(this.#facts.dropNamespace(name));
  }

  setNode(fact: NodeFact): void {
    this.#feed(this.#facts.put(fact));
  }

  deleteNode(name: string): void {
    this.#feed(this.#facts.dropNode(name));
  }

  setHostName(fact: HostNameFact): void {
    this.#feed(this.#facts.put(fact));
  }

  deleteHostName(name: string): void {
    this.#feed(this.#facts.dropHostName(name));
  }

  #feed(change: FactChange | null): void {
    if (change !== null) this.follow(change);
  }
}
