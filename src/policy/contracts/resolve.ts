// What a dialect may ask about other objects while it compiles a policy. Every question is recorded: when its answer changes, the
// policy that asked is compiled again, and no other.

import type { NamespaceFact } from "../../model/facts.ts";
import type { ObjectKey, ObjectKind, ReferencedObject } from "../../model/object.ts";
import { isSameKind, objectKey, splitKey } from "../../model/object.ts";
import type { Selector } from "../../model/selector.ts";
import { selects } from "../../model/selector.ts";

/** The kind must be one of the dialect's `references`. */
export interface Resolve {
  /** The present state of an object; null if it does not exist. */
  (kind: ObjectKind, namespace: string | null, name: string): ReferencedObject | null;
  /** The objects whose labels the selector selects, in the order of their keys. `namespace` null: in all namespaces, or in none. */
  readonly labelled: (
    kind: ObjectKind,
    namespace: string | null,
    selector: Selector,
  ) => readonly ReferencedObject[];
  /** The present state of a Namespace, which needs no place in `references`; null if it does not exist. */
  readonly namespace: (name: string) => NamespaceFact | null;
}

export function resolveBy(
  byName: (kind: ObjectKind, namespace: string | null, name: string) => ReferencedObject | null,
  labelled: Resolve["labelled"],
  namespace: Resolve["namespace"],
): Resolve {
  return Object.assign(
    (kind: ObjectKind, namespace: string | null, name: string) => byName(kind, namespace, name),
    { labelled, namespace },
  );
}

/** Answers from these objects, and Namespaces by name. */
export function resolveAmong(
  objects: ReadonlyMap<ObjectKey, ReferencedObject>,
  namespaces: ReadonlyMap<string, NamespaceFact> = new Map(),
): Resolve {
  return resolveBy(
    (kind, namespace, name) => objects.get(objectKey(kind, namespace, name)) ?? null,
    (kind, namespace, selector) =>
      [...objects]
        .filter(([key, object]) => isLabelled(key, object, { kind, namespace, selector }))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([, object]) => object),
    (name) => namespaces.get(name) ?? null,
  );
}

/** A question by labels. */
export interface LabelQuestion {
  readonly kind: ObjectKind;
  readonly namespace: string | null;
  readonly selector: Selector;
}

/** Whether the object is one of the answer. */
export function isLabelled(
  key: ObjectKey,
  { labels }: Pick<ReferencedObject, "labels">,
  { kind, namespace, selector }: LabelQuestion,
): boolean {
  const name = splitKey(key);
  if (!isSameKind(name, kind) || (namespace !== null && name.namespace !== namespace)) return false;
  return selects(selector, labels);
}
