// What a reader returns of a part of a rule that has a field that is not known here. The API server prunes such fields and
// would be left with a wider rule.

import type { ProblemCode } from "../model/problem.ts";
import type { Field } from "../model/reader.ts";

export const unknown = Symbol("unknown");
export type OrUnknown<T> = T | typeof unknown;

export function isUnknown<T>(entry: OrUnknown<T>): entry is typeof unknown {
  return entry === unknown;
}

/** Warns of every field outside `known`; whether there is one. */
export function warnOfUnknown(field: Field, known: readonly string[], code: ProblemCode): boolean {
  const others = field.others(known);
  for (const other of others)
    field.at(other).warn("this field is not known here, so the rule matches nothing", code);
  return others.length > 0;
}
