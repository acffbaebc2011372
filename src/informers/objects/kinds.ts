// The kinds of objects that a source reads, each with its parser: Pods, Namespaces, Nodes and the policies of whatever
// dialects are installed. Anything else is refused by name, because a policy nobody reads protects nobody.

import type { PolicyKind, WorldObject } from "../../model/object.ts";
import { parseNamespace } from "./namespace.ts";
import { parseNode } from "./node.ts";
import type { Parsed } from "./object.ts";
import { parsePolicyObject } from "./object.ts";
import { parsePod } from "./pod.ts";

export interface ReadableKind extends PolicyKind {
  /** Set for kinds whose problems are found later, by a dialect. */
  readonly policy: boolean;
  parse(value: unknown): Parsed<WorldObject>;
}

const core: readonly ReadableKind[] = [
  {
    apiVersion: "v1",
    kind: "Namespace",
    resource: "namespaces",
    namespaced: false,
    policy: false,
    parse: parseNamespace,
  },
  { apiVersion: "v1", kind: "Node", resource: "nodes", namespaced: false, policy: false, parse: parseNode },
  { apiVersion: "v1", kind: "Pod", resource: "pods", namespaced: true, policy: false, parse: parsePod },
];

export function readableKinds(policies: readonly PolicyKind[]): readonly ReadableKind[] {
  return [
    ...core,
    ...policies.map(({ apiVersion, kind, resource, namespaced }) => ({
      apiVersion,
      kind,
      resource,
      namespaced,
      policy: true,
      parse: (value: unknown) => parsePolicyObject(value, { apiVersion, kind, resource, namespaced }),
    })),
  ];
}
