// Staged policies: an annotation keeps a policy of any kind out of force, until a plan has said what it would do. Any other value of
// the annotation than the two that it has leaves the policy in force: a mistake in it never opens what was closed.

import type { PolicyObject } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import { quote } from "../model/quote.ts";

export const stagedAnnotation = "northgate.io/staged";
const field = `metadata.annotations["${stagedAnnotation}"]`;

export interface Staged {
  readonly isStaged: boolean;
  readonly problems: readonly Problem[];
}

type Annotated = Pick<PolicyObject, "annotations">;

/** `isOthers`: another program enforces the kind, and knows nothing of the annotation. */
export function stagedIn({ annotations }: Annotated, isOthers = false): Staged {
  const value = annotations.get(stagedAnnotation);
  if (value === undefined || value === "false") return { isStaged: false, problems: [] };
  if (value === "true" && !isOthers) return { isStaged: true, problems: [] };
  const message =
    value === "true"
      ? "has no effect: another program enforces the policy"
      : `must be "true" or "false", not ${quote(value)}: the policy is in force`;
  return { isStaged: false, problems: [{ code: "InvalidField", severity: "warning", field, message }] };
}

/** As it would be if it were in force. */
export function unstaged<O extends Annotated>(object: O): O {
  if (!stagedIn(object).isStaged) return object;
  const others = [...object.annotations].filter(([key]) => key !== stagedAnnotation);
  return { ...object, annotations: new Map(others) };
}
