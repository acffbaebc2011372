// A Problem in an object, or another finding about it, with the object and the place in its file: for one line of a
// terminal, or for the fields of a line of the log.

import type { ShownSourceProblem } from "../informers/index.ts";
import type { PolicyRecord } from "../controller/engine.ts";
import type { LocationOf } from "../model/object.ts";
import type { ShownProblem } from "../model/problem.ts";
import type { PolicyPart } from "../policy/contracts/backend.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Advice } from "./policy-events.ts";

/** The field of a policy's object that says a part of it. */
export type FieldOf = (key: PolicyKey, part: PolicyPart) => string;

/** A warning. */
export function placedAdvice(
  { record, event, part }: Advice,
  fieldOf: FieldOf,
  placeOf: LocationOf,
): ShownSourceProblem {
  const field = fieldOf(record.key, part);
  return placedFinding(record, { severity: "warning", field, message: event.message }, placeOf);
}

/** An object with its key. */
type Found = Pick<PolicyRecord, "key" | "object">;

export function placedFinding<P extends ShownProblem>(
  record: Found,
  problem: P,
  placeOf: LocationOf,
): ShownSourceProblem & { readonly place: string; readonly object: string; readonly problem: P } {
  return {
    place: placeOf(record.key, problem.field) ?? "",
    object: `${record.object.kind} ${nameOf(record)}`,
    problem,
  };
}

function nameOf({ object: { namespace, name } }: Found): string {
  return namespace === null ? name : `${namespace}/${name}`;
}
