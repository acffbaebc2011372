// What two conditions on pods have in common, as groups.

import type { Selector } from "../../model/selector.ts";
import { allOf, everything, requirements } from "../../model/selector.ts";
import type { PodGroup } from "../../policy/ir.ts";

/** Both hold. Lists of requirements are one list. */
export function bothOf(one: Selector, other: Selector): Selector {
  if (one.text === everything.text || one.text === other.text) return other;
  if (other.text === everything.text) return one;
  if (one.kind === "requirements" && other.kind === "requirements")
    return requirements([...one.requirements, ...other.requirements]);
  return allOf([one, other]);
}

/** The pods that are in a group of each list; null: every pod. */
export function intersection(
  one: readonly PodGroup[] | null,
  other: readonly PodGroup[] | null,
): readonly PodGroup[] | null {
  if (one === null || other === null) return one ?? other;
  return one.flatMap((first) =>
    other.map((second): PodGroup => ({
      kind: "pods",
      namespaces: bothOf(first.namespaces, second.namespaces),
      pods: bothOf(first.pods, second.pods),
    })),
  );
}
