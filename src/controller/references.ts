// The objects that policies refer to, and which policy asked for which of them, whether it existed or not: a change of
// one makes exactly the policies stale that asked for it. Refuses questions about kinds that the dialect has not
// declared, because no source reads those.

import { invariant } from "../lib/invariant.ts";
import { Multimap } from "../lib/multimap.ts";
import type { NamespaceFact } from "../model/facts.ts";
import type { KindText, ObjectKey, ObjectKind, ReferencedObject } from "../model/object.ts";
import { factKinds, kindText, kindTextOf, objectKey } from "../model/object.ts";
import type { NamespaceLogging, Resolve } from "../policy/contracts/dialect.ts";
import type { PolicyKey } from "../policy/ir.ts";

/** The questions that a dialect may ask, each recorded. */
interface Asker {
  readonly resolve: Resolve;
  readonly loggingOf: NamespaceLogging;
}

function namespaceKey(namespace: string): ObjectKey {
  return objectKey(factKinds.Namespace, null, namespace);
}

export class References {
  readonly #kinds: ReadonlySet<KindText>;
  readonly #namespaces: ReadonlyMap<string, NamespaceFact>;
  readonly #objects = new Map<ObjectKey, ReferencedObject>();
  readonly #users = new Multimap<ObjectKey, PolicyKey>();
  readonly #asked = new Map<PolicyKey, ReadonlySet<ObjectKey>>();
  readonly #stale = new Set<PolicyKey>();

  constructor(kinds: readonly ObjectKind[], namespaces: ReadonlyMap<string, NamespaceFact>) {
    this.#kinds = new Set(kinds.map(kindText));
    this.#namespaces = namespaces;
  }

  /** Whether the key is of a kind that policies may refer to. */
  covers(key: ObjectKey): boolean {
    return this.#kinds.has(kindTextOf(key));
  }

  observe(key: ObjectKey, object: ReferencedObject | null): void {
    if (object === null) this.#objects.delete(key);
    else this.#objects.set(key, object);
    for (const user of this.#users.get(key)) this.#stale.add(user);
  }

  /** What policies ask of the namespace has changed. */
  changed(namespace: string): void {
    for (const user of this.#users.get(namespaceKey(namespace))) this.#stale.add(user);
  }

  /** Runs one compilation of the policy. Its questions replace those of the policy's earlier compilation. */
  recording<T>(policy: PolicyKey, allowed: readonly ObjectKind[], compile: (asker: Asker) => T): T {
    const kinds = new Set(allowed.map(kindText));
    const asked = new Set<ObjectKey>();
    const result = compile({
      resolve: (kind, namespace, name) => {
        invariant(
          kinds.has(kindText(kind)),
          `a dialect asks for ${kindText(kind)}, which it has not declared`,
        );
        const key = objectKey(kind, namespace, name);
        asked.add(key);
        return this.#objects.get(key) ?? null;
      },
      loggingOf: (namespace) => {
        asked.add(namespaceKey(namespace));
        return this.#namespaces.get(namespace)?.logging ?? null;
      },
    });
    this.#replace(policy, asked);
    return result;
  }

  /** The policy is gone. */
  forget(policy: PolicyKey): void {
    this.#replace(policy, new Set());
  }

  /** Returns the policies to compile again, and clears the list. */
  takeStale(): readonly PolicyKey[] {
    const stale = [...this.#stale];
    this.#stale.clear();
    return stale;
  }

  #replace(policy: PolicyKey, asked: ReadonlySet<ObjectKey>): void {
    this.#stale.delete(policy);
    const before = this.#asked.get(policy) ?? new Set<ObjectKey>();
    for (const key of asked.difference(before)) this.#users.add(key, policy);
    for (const key of before.difference(asked)) this.#users.remove(key, policy);
    if (asked.size > 0) this.#asked.set(policy, asked);
    else this.#asked.delete(policy);
  }
}
