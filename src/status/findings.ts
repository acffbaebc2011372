// A Problem in an object, or what else is to be told of it, as one line of a person's terminal or log.

import { formatSourceProblem } from "../informers/index.ts";
import type { PolicyRecord } from "../controller/engine.ts";
import type { PlaceOf } from "../model/object.ts";
import type { ShownProblem } from "../model/problem.ts";
import type { PolicyPart } from "../policy/backend.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Advice } from "./policy-events.ts";

/** The field of a policy's object that says a part of it. */
export type FieldOf = (key: PolicyKey, part: PolicyPart) => string;

/** A warning. */
export function formatAdvice({ record, event, part }: Advice, fieldOf: FieldOf, placeOf: PlaceOf): string {
  const field = fieldOf(record.key, part);
  return formatFinding(record, { severity: "warning", field, message: event.message }, placeOf);
}

export function formatFinding(record: PolicyRecord, problem: ShownProblem, placeOf: PlaceOf): string {
  return formatSourceProblem({
    place: placeOf(record.key, problem.field) ?? "",
    object: `${record.object.kind} ${nameOf(record)}`,
    problem,
  });
}

function nameOf({ object: { namespace, name } }: PolicyRecord): string {
  return namespace === null ? name : `${namespace}/${name}`;
}
