// The objects that policies refer to, and which policy asked for which of them, by name whether it existed or not, or by labels: a
// change of one makes exactly the policies stale whose answers it changes. Refuses questions about kinds that the dialect has
// not declared, because no source reads those.

import { invariant } from "../lib/invariant.ts";
import { Multimap } from "../lib/multimap.ts";
import type { NamespaceFact } from "../model/facts.ts";
import type { KindText, ObjectKey, ObjectKind, ReferencedObject } from "../model/object.ts";
import { factKinds, kindText, kindTextOf, objectKey } from "../model/object.ts";
import { sameReferenced } from "../model/same-facts.ts";
import type { NamespaceLogging } from "../policy/contracts/dialect.ts";
import type { LabelQuestion } from "../policy/contracts/resolve.ts";
import { isLabelled, resolveAmong, resolveBy } from "../policy/contracts/resolve.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";
import type { PolicyKey } from "../policy/ir.ts";

/** The questions that a dialect may ask, each recorded. */
interface Asker {
  readonly resolve: Resolve;
  readonly loggingOf: NamespaceLogging;
}

/** A question by labels; never the key of an object, which holds a slash before any space. */
type QuestionText = string & { readonly __brand: "QuestionText" };

type Question = ObjectKey | QuestionText;

function namespaceKey(namespace: string): ObjectKey {
  return objectKey(factKinds.Namespace, null, namespace);
}

/** Asked for more often than the rest of a Namespace, and changed less often. */
function loggingKey(namespace: string): QuestionText {
  return `logging of ${namespaceKey(namespace)}` as QuestionText;
}

export class References {
  readonly #kinds: ReadonlySet<KindText>;
  readonly #namespaces: ReadonlyMap<string, NamespaceFact>;
  readonly #objects = new Map<ObjectKey, ReferencedObject>();
  readonly #users = new Multimap<Question, PolicyKey>();
  readonly #asked = new Map<PolicyKey, ReadonlySet<Question>>();
  /** Questions by labels that some policy has asked, by kind. */
  readonly #byLabels = new Map<KindText, Map<QuestionText, LabelQuestion>>();
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
    const before = this.#objects.get(key) ?? null;
    if (object === null) this.#objects.delete(key);
    else this.#objects.set(key, object);
    if (before !== null && object !== null && sameReferenced(before, object)) return;
    for (const user of this.#users.get(key)) this.#stale.add(user);
    for (const [text, question] of this.#byLabels.get(kindTextOf(key)) ?? []) {
      const isConcerned = [before, object].some((one) => one !== null && isLabelled(key, one, question));
      if (isConcerned) for (const user of this.#users.get(text)) this.#stale.add(user);
    }
  }

  /** The Namespace is another one than before: added, changed or removed. */
  changed(namespace: string, before: NamespaceFact | null): void {
    for (const user of this.#users.get(namespaceKey(namespace))) this.#stale.add(user);
    if (before?.logging === this.#namespaces.get(namespace)?.logging) return;
    for (const user of this.#users.get(loggingKey(namespace))) this.#stale.add(user);
  }

  /** Runs one compilation of the policy. Its questions replace those of the policy's earlier compilation. */
  recording<T>(policy: PolicyKey, allowed: readonly ObjectKind[], compile: (asker: Asker) => T): T {
    const kinds = new Set(allowed.map(kindText));
    const asked = new Set<Question>();
    const check = (kind: ObjectKind): void => {
      invariant(kinds.has(kindText(kind)), `a dialect asks for ${kindText(kind)}, which it has not declared`);
    };
    const known = resolveAmong(this.#objects, this.#namespaces);
    const result = compile({
      resolve: resolveBy(
        (kind, namespace, name) => {
          check(kind);
          asked.add(objectKey(kind, namespace, name));
          return known(kind, namespace, name);
        },
        (kind, namespace, selector) => {
          check(kind);
          asked.add(this.#noted({ kind, namespace, selector }));
          return known.labelled(kind, namespace, selector);
        },
        (name) => {
          asked.add(namespaceKey(name));
          return known.namespace(name);
        },
      ),
      loggingOf: (namespace) => {
        asked.add(loggingKey(namespace));
        return this.#namespaces.get(namespace)?.logging ?? null;
      },
    });
    this.#replace(policy, asked);
    return result;
  }

  /** The policy was removed. */
  forget(policy: PolicyKey): void {
    this.#replace(policy, new Set());
  }

  /** Returns the policies to compile again, and clears the list. */
  takeStale(): readonly PolicyKey[] {
    const stale = [...this.#stale];
    this.#stale.clear();
    return stale;
  }

  /** A question by labels that is asked now. */
  #noted(question: LabelQuestion): QuestionText {
    const { kind, namespace, selector } = question;
    const text = JSON.stringify([namespace, selector.text]);
    const key = `${kindText(kind)} ${text}` as QuestionText;
    const ofKind = this.#byLabels.get(kindText(kind)) ?? new Map<QuestionText, LabelQuestion>();
    this.#byLabels.set(kindText(kind), ofKind.set(key, question));
    return key;
  }

  #replace(policy: PolicyKey, asked: ReadonlySet<Question>): void {
    this.#stale.delete(policy);
    const before = this.#asked.get(policy) ?? new Set<Question>();
    for (const key of asked.difference(before)) this.#users.add(key, policy);
    for (const key of before.difference(asked))
      if (this.#users.remove(key, policy))
        for (const ofKind of this.#byLabels.values()) ofKind.delete(key as QuestionText);
    if (asked.size > 0) this.#asked.set(policy, asked);
    else this.#asked.delete(policy);
  }
}
