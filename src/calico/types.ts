// `types` of a policy → the directions in which it selects its pods. Rules of another direction say nothing.

import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { Direction } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";

const byName: ReadonlyMap<unknown, Direction> = new Map([
  ["Ingress", "ingress"],
  ["Egress", "egress"],
]);

/** null: an error was reported. */
export function readTypes(spec: Field): ReadonlySet<Direction> | null {
  const field = spec.at("types");
  const items = field.present ? field.list(0, Infinity) : [];
  const read = items && readAll(items, readType);
  if (read === null) return null;
  const types = new Set(read.length === 0 ? implied(spec) : read);
  if (read.length > new Set(read).size) return field.error("must not name a direction twice");
  for (const direction of directions)
    if (!types.has(direction) && spec.at(direction).items().length > 0)
      spec.at(direction).warn("types does not name this direction, so these rules have no effect");
  return types;
}

function readType(field: Field): Direction | null {
  return byName.get(field.raw) ?? field.error(`must be Ingress or Egress, not ${field.quoted}`);
}

function implied(spec: Field): readonly Direction[] {
  const [ingress, egress] = directions.map((direction) => spec.at(direction).items().length > 0);
  if (egress !== true) return ["ingress"];
  return ingress === true ? directions : ["egress"];
}
