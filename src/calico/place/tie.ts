// The text that decides between policies of one tier and order (Calico's felix/calc/policy_sorter.go).

import type { ObjectName } from "../../model/object.ts";

/** `kind`: as Calico calls it. */
export function tieText({ name, namespace }: Pick<ObjectName, "name" | "namespace">, kind: string): string {
  return `${name}/${namespace ?? ""}/${kind}`;
}
