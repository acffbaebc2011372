// What is known of pods, namespaces and nodes now: the one place that keeps facts. Everything that is derived from facts is
// fed the changes that come out of here, or reads. Answers what was there before, so that nothing else has to remember it,
// and refuses nothing: facts are checked at the door. It is a World for the judge (policy/evaluate.ts) at any moment.
// Invariant: a change that is given out differs from what was there, and no difference is left out.

import { unreachable } from "../lib/invariant.ts";
import type { NamespaceFact, NodeFact, PodFact, PodKey } from "./facts.ts";
import { podKey } from "./facts.ts";
import type { Fact } from "./object.ts";
import { sameNamespace, sameNode, samePod } from "./same-facts.ts";

/** One of both is there; null: the object did not exist, or exists no more. */
interface Change<Kind, Key, One> {
  readonly kind: Kind;
  readonly key: Key;
  readonly before: One | null;
  readonly after: One | null;
}

export type PodChange = Change<"Pod", PodKey, PodFact>;
export type NamespaceChange = Change<"Namespace", string, NamespaceFact>;
export type NodeChange = Change<"Node", string, NodeFact>;
export type FactChange = PodChange | NamespaceChange | NodeChange;

export class FactStore {
  readonly #pods = new Map<PodKey, PodFact>();
  readonly #namespaces = new Map<string, NamespaceFact>();
  readonly #nodes = new Map<string, NodeFact>();

  /** A view of the present, as are the two below. */
  readonly pods: ReadonlyMap<PodKey, PodFact> = this.#pods;
  /** By name. */
  readonly namespaces: ReadonlyMap<string, NamespaceFact> = this.#namespaces;
  readonly nodes: Iterable<NodeFact> = { [Symbol.iterator]: () => this.#nodes.values() };

  get isEmpty(): boolean {
    return this.#pods.size === 0 && this.#namespaces.size === 0 && this.#nodes.size === 0;
  }

  /**
   * Takes the fact in place of what was known of its object; null: it says the same, and what is known stays. The sources
   * of a cluster have compared already, and for them this costs little (same-facts.ts looks at identity first). It is
   * needed all the same: a key that comes in says that its object may differ, and two changes may have undone each other.
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
      default:
        return unreachable(fact);
    }
  }

  /** Null: there was none; as for the two below. */
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
}

/** What was there, null when nothing was; undefined: it says the same. */
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
