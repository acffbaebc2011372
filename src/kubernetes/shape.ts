// Two behaviours of the API server for every part of a policy: it prunes unknown fields (here with a warning), and a
// one-of has exactly one known field. A one-of with none belongs to a newer API; its reader must fail closed.

import type { Field } from "../model/reader.ts";

/** Warns for every field outside `known` that it has no effect. */
export function warnOfOthers(field: Field, known: readonly string[]): void {
  for (const other of field.others(known))
    field.at(other).warn("this field is not known here and is ignored", "UnknownField");
}

/** Which of the names is set; "none" when no known one is, null when it is not an object or has several. */
export function chosen<N extends string>(field: Field, names: readonly N[]): N | "none" | null {
  if (!field.object()) return null;
  const [first, ...more] = names.filter((name) => field.has(name));
  if (first === undefined) return "none";
  if (more.length > 0) return field.error(`must have only one of ${[first, ...more].join(", ")}`);
  warnOfOthers(field, names);
  return first;
}
