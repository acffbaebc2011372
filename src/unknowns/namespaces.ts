// The namespaces that exist although their Namespace objects were not read: objects in them prove that they exist. Every
// namespace has the label kubernetes.io/metadata.name, which the API server sets; its other labels are unknown. The facts
// are for commands that only read: sources and the controller never make one.

import type { NamespaceFact } from "../model/facts.ts";
import type { WorldObject } from "../model/object.ts";
import { isNamespace } from "../model/object.ts";

/** The label that every namespace has, with its name. */
export const namespaceNameLabel = "kubernetes.io/metadata.name";

/** Of the namespaces whose Namespace is not among the objects, in the order in which they are first named. */
export function provenNamespaces(objects: Iterable<WorldObject>): readonly NamespaceFact[] {
  const all = [...objects];
  const read = new Set(all.filter(isNamespace).map(({ name }) => name));
  const named = all.map(namespaceOf).filter((name) => name !== null);
  return [...new Set(named)].filter((name) => !read.has(name)).map(unreadNamespace);
}

export function unreadNamespace(name: string): NamespaceFact {
  return { kind: "Namespace", name, labels: new Map([[namespaceNameLabel, name]]), isUnread: true };
}

/** null: the object is in no namespace. */
export function namespaceOf(object: WorldObject): string | null {
  return "namespace" in object ? object.namespace : null;
}

/** One sentence: what is known of it. */
export function provenText(name: string): string {
  return `Namespace ${name} was not read: of its labels only ${namespaceNameLabel} is known, and verdicts that depend on others are unknown`;
}
