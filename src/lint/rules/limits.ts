// NG012: policies that are refused because they are beyond a limit: of the API, of what rows can say, or of the places that
// the database has. The dialects and the backend report which limits there are.

import type { Problem, ProblemCode } from "../../model/problem.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";

const codes: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "UnsupportedPriority",
  "TooMany",
  "NoPlace",
  "TooManyTiers",
]);

export function isOfLimit({ code, severity }: Problem): boolean {
  return severity === "error" && codes.has(code);
}

export function* beyondLimits({ records }: Context): Generator<Draft> {
  for (const { key, problems } of records)
    for (const { code, field, message } of problems.filter(isOfLimit))
      yield {
        ...{ severity: "error", target: { key, at: null }, field, message, about: `${code} ${field}` },
        fix: "stay within the limit: the object is refused whole",
      };
}
