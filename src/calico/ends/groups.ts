// What two conditions on pods have in common, as groups.

import { conjunctionOf } from "../../model/selectors/folding.ts";
import { isSatisfiable } from "../../model/selectors/satisfiable.ts";
import type { PodGroup } from "../../policy/ir.ts";

/** The pods that are in a group of each list; null: every pod. Groups that nothing can be in are left out. */
export function intersection(
  one: readonly PodGroup[] | null,
  other: readonly PodGroup[] | null,
): readonly PodGroup[] | null {
  if (one === null || other === null) return one ?? other;
  return one.flatMap((first) => other.map((second) => bothOf(first, second))).filter(canBe);
}

function bothOf(one: PodGroup, other: PodGroup): PodGroup {
  return {
    kind: "pods",
    namespaces: conjunctionOf([one.namespaces, other.namespaces]),
    pods: conjunctionOf([one.pods, other.pods]),
  };
}

function canBe({ namespaces, pods }: PodGroup): boolean {
  return isSatisfiable(namespaces) && isSatisfiable(pods);
}
