// An end as a world sees it: what of it the rules of that world can see.

import type { NamespaceFact } from "../../model/facts.ts";
import type { SubjectGroup } from "../../policy/ir.ts";
import type { Sign, Signs } from "./signs.ts";

export interface EndPlace {
  /** null: no pod. */
  readonly pod: PodPlace | null;
  /** Of the address. */
  readonly piece: number;
}

export interface PodPlace {
  /** null: it is unknown, and no selector selects the pod. */
  readonly namespace: NamespaceFact | null;
  readonly namespaceSign: Sign;
  readonly sign: Sign;
  readonly node: string | null;
}

/** Of the selectors of all policies. */
export interface SignsOfLabels {
  readonly namespaces: Signs;
  readonly pods: Signs;
}

export function isIn(
  { namespace, namespaceSign, sign, node }: PodPlace,
  group: SubjectGroup,
  { namespaces, pods }: SignsOfLabels,
): boolean {
  if (group.kind === "podsOfNode") return node === group.node;
  if (namespace === null) return false;
  return namespaces.selects(group.namespaces, namespaceSign) && pods.selects(group.pods, sign);
}
