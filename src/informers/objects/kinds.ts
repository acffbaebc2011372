// The kinds of objects that a source reads, each with its parser: Pods, Namespaces, Nodes, the installed dialects'
// policies and the objects that those may refer to. Any other kind is refused by name, because an unread policy
// protects nothing.

import { invariant } from "../../lib/invariant.ts";
import type { KindText, ObjectKind, WorldObject } from "../../model/object.ts";
import { factKinds, kindText } from "../../model/object.ts";
import { parseNamespace } from "./namespace.ts";
import { parseNode } from "./node.ts";
import type { Parsed } from "./object.ts";
import { parsePolicyObject, parseReferencedObject } from "./object.ts";
import { parsePod } from "./pod.ts";

export interface ReadableKind extends ObjectKind {
  /** Set for kinds whose problems a dialect finds later. */
  readonly policy: boolean;
  /** Set for kinds whose status is kept as it is seen, because a part of it may be written. */
  readonly hasStatus: boolean;
  parse(value: unknown): Parsed<WorldObject>;
}

const core: readonly ReadableKind[] = [
  { ...factKinds.Namespace, policy: false, hasStatus: false, parse: parseNamespace },
  { ...factKinds.Node, policy: false, hasStatus: false, parse: parseNode },
  { ...factKinds.Pod, policy: false, hasStatus: false, parse: parsePod },
];

/** Every kind once, though several dialects may refer to it. */
export function readableKinds(
  policies: readonly ObjectKind[],
  references: readonly ObjectKind[] = [],
): readonly ReadableKind[] {
  const kinds = new Map<KindText, ReadableKind>();
  const add = (kind: ReadableKind): void => {
    const known = kinds.get(kindText(kind));
    invariant(
      known === undefined ||
        (!known.policy && !kind.policy && known.version === kind.version && !core.includes(known)),
      `${kindText(kind)} is read twice`,
    );
    if (known === undefined) kinds.set(kindText(kind), kind);
  };
  for (const kind of core) add(kind);
  for (const kind of policies) {
    const one = plain(kind);
    add({ ...one, policy: true, hasStatus: true, parse: (value) => parsePolicyObject(value, one) });
  }
  for (const kind of references) {
    const one = plain(kind);
    add({ ...one, policy: false, hasStatus: true, parse: (value) => parseReferencedObject(value, one) });
  }
  return [...kinds.values()];
}

function plain({ group, version, kind, resource, namespaced }: ObjectKind): ObjectKind {
  return { group, version, kind, resource, namespaced };
}
