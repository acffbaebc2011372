// The present pods, namespaces, nodes and answers of DNS: the only place that keeps facts. Everything derived from facts either
// receives this store's changes or reads it. A change includes the previous fact, so that no other code has to remember
// it. Refuses nothing: parsers have checked the facts. It is a World for the judge (policy/evaluate.ts) at any moment.
// Invariant: every change returned is a difference, and no difference is left out.

import { unreachable } from "../lib/invariant.ts";
import type { HostNameFact, NamespaceFact, NodeFact, PodFact, PodKey } from "./facts.ts";
import { podKey } from "./facts.ts";
import type { Fact } from "./object.ts";
import { sameHostName, sameNamespace, sameNode, samePod } from "./same-facts.ts";

/** At least one of the two is not null; null: the object did not exist, or exists no more. */
interface Change<Kind, Key, One> {
  readonly kind: Kind;
  readonly key: Key;
  readonly before: One | null;
  readonly after: One | null;
}

export type PodChange = Change<"Pod", PodKey, PodFact>;
export type NamespaceChange = Change<"Namespace", string, NamespaceFact>;
export type NodeChange = Change<"Node", string, NodeFact>;
export type HostNameChange = Change<"HostName", string, HostNameFact>;
export type FactChange = PodChange | NamespaceChange | NodeChange | HostNameChange;

export class FactStore {
  readonly #pods = new Map<PodKey, PodFact>();
  readonly #namespaces = new Map<string, NamespaceFact>();
  readonly #nodes = new Map<string, NodeFact>();
  readonly #hostNames = new Map<string, HostNameFact>();

  /** A view of the present, as are those below. */
  readonly pods: ReadonlyMap<PodKey, PodFact> = this.#pods;
  /** By name. */
  readonly namespaces: ReadonlyMap<string, NamespaceFact> = this.#namespaces;
  readonly nodes: Iterable<NodeFact> = { [Symbol.iterator]: () => this.#nodes.values() };
  readonly hostNames: Iterable<HostNameFact> = { [Symbol.iterator]: () => this.#hostNames.values() };

  hasNode(name: string): boolean {
    return this.#nodes.has(name);
  }

  get isEmpty(): boolean {
    const all = [this.#pods, this.#namespaces, this.#nodes, this.#hostNames];
    return all.every(({ size }) => size === 0);
  }

  /**
   * Replaces the fact of its object; null: the new fact is equal, and the old one stays. The sources of a cluster have
   * compared already, which makes this cheap for them (same-facts.ts compares identity first). It is needed all the
   * same: a queued key means only that its object may differ, and two changes may have undone each other.
   */
  put(fact: Fact): FactChange | null {
    switch (fact.kind) {
      case "Pod": {
        const key = podKey(fact.namespace, fact.name);
        const before = replaced(this.#pods, key, fact, samePod);
        return before === undefined ? null : { kind: "Pod", key, before, after: fact };
      }
      case "Namespace": {
        const before = replaced(this.#namespaces, fact.name, fact, sameNamespace);
        return before === undefined ? null : { kind: "Namespace", key: fact.name, before, after: fact };
      }
      case "Node": {
        const before = replaced(this.#nodes, fact.name, fact, sameNode);
        return before === undefined ? null : { kind: "Node", key: fact.name, before, after: fact };
      }
      case "HostName": {
        const before = replaced(this.#hostNames, fact.name, fact, sameHostName);
        return before === undefined ? null : { kind: "HostName", key: fact.name, before, after: fact };
      }
      default:
        return unreachable(fact);
    }
  }

  /** Null: there was none; also for those below. */
  dropPod(key: PodKey): PodChange | null {
    const before = dropped(this.#pods, key);
    return before === null ? null : { kind: "Pod", key, before, after: null };
  }

  dropNamespace(name: string): NamespaceChange | null {
    const before = dropped(this.#namespaces, name);
    return before === null ? null : { kind: "Namespace", key: name, before, after: null };
  }

  dropNode(name: string): NodeChange | null {
    const before = dropped(this.#nodes, name);
    return before === null ? null : { kind: "Node", key: name, before, after: null };
  }

  dropHostName(name: string): HostNameChange | null {
    const before = dropped(this.#hostNames, name);
    return before === null ? null : { kind: "HostName", key: name, before, after: null };
  }
}

/** The previous fact, null when there was none; undefined: the new one is equal. */
function replaced<Key, One>(
  facts: Map<Key, One>,
  key: Key,
  fact: One,
  isSame: (a: One, b: One) => boolean,
): One | null | undefined {
  const before = facts.get(key);
  if (before !== undefined && isSame(before, fact)) return undefined;
  facts.set(key, fact);
  return before ?? null;
}

function dropped<Key, One>(facts: Map<Key, One>, key: Key): One | null {
  const before = facts.get(key) ?? null;
  facts.delete(key);
  return before;
}
