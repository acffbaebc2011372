// A Problem in an object, as one line of a person's terminal or log.

import { formatSourceProblem } from "../informers/index.ts";
import type { PolicyRecord } from "../controller/engine.ts";
import type { PlaceOf } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";

export function formatFinding(record: PolicyRecord, problem: Problem, placeOf: PlaceOf): string {
  return formatSourceProblem({
    place: placeOf(record.key, problem.field) ?? "",
    object: `${record.object.kind} ${nameOf(record)}`,
    problem,
  });
}

function nameOf({ object: { namespace, name } }: PolicyRecord): string {
  return namespace === null ? name : `${namespace}/${name}`;
}
