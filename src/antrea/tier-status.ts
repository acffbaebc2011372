// What is wrong with a Tier, whether a policy names it or not. Its API has no conditions: it refuses such an object, and this is
// for those that are read from manifests.

import type { ReferencedObject } from "../model/object.ts";
import type { ReferenceStatus, ReferenceVerdict } from "../policy/contracts/dialect.ts";
import { isBuiltIn, readTierObject } from "./place.ts";

export const tierStatus: ReferenceStatus = { type: null, judge };

function judge(object: ReferencedObject): ReferenceVerdict {
  const { problem } = isBuiltIn(object.name) ? { problem: null } : readTierObject(object);
  if (problem === null)
    return { isTrue: true, reason: "Accepted", message: "The tier has a place", problems: [] };
  const message = `${problem.field}: ${problem.message}`;
  return { isTrue: false, reason: "Invalid", message, problems: [problem] };
}
