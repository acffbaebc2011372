// `policyTypes` → the directions in which the policy isolates its pods. Without the field: ingress always, egress where
// the policy has egress rules (the API server writes the same default into the object).

import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { Direction } from "../policy/ir.ts";

const names: ReadonlyMap<string, Direction> = new Map([
  ["Ingress", "ingress"],
  ["Egress", "egress"],
]);

export function readPolicyTypes(spec: Field): ReadonlySet<Direction> | null {
  const field = spec.at("policyTypes");
  const items = field.present ? field.list(0, names.size) : [];
  const read = items && readAll(items, readPolicyType);
  if (read === null) return null;
  if (read.length > 0) return new Set(read);
  return new Set(spec.at("egress").items().length > 0 ? ["ingress", "egress"] : ["ingress"]);
}

function readPolicyType(field: Field): Direction | null {
  const text = field.string();
  if (text === null) return null;
  return names.get(text) ?? field.error(`must be Ingress or Egress, not ${field.quoted}`);
}
