// The world in which staged policies are in force: each replaces or removes the policy that it is about. What is staged stays
// outside the world, as it does in the world of today.

import type { ObjectKey, ObjectKind, SourceProblem, WorldObject } from "../model/object.ts";
import { groupOf, isReferenced, isSameKind, keyOf } from "../model/object.ts";
import type { Staging } from "../policy/contracts/policy-model.ts";
import { placedFinding } from "../status/findings.ts";
import type { ReadObjects } from "./world.ts";

/** Whether an object is a staged one. */
export function isStagedIn(kinds: readonly ObjectKind[], object: WorldObject): boolean {
  if (!isReferenced(object)) return false;
  const { apiVersion, kind } = object;
  return kinds.some((one) => isSameKind(one, { group: groupOf(apiVersion), kind }));
}

/** As `read`, with the staged policies in force. Findings about such a policy are placed where the staged one is. */
export function withStaged(read: ReadObjects, staging: Staging): ReadObjects {
  const objects = new Map(read.objects.map((object) => [keyOf(object), object]));
  const origins = new Map<ObjectKey, ObjectKey>();
  const problems: SourceProblem[] = [];
  for (const object of read.objects) {
    if (!isReferenced(object) || !isStagedIn(staging.kinds, object)) continue;
    const effect = staging.effectOf(object);
    switch (effect.kind) {
      case "set":
        objects.set(keyOf(effect.policy), effect.policy);
        origins.set(keyOf(effect.policy), keyOf(object));
        break;
      case "delete":
        objects.delete(effect.key);
        break;
      case "none":
        problems.push(
          ...effect.problems.map((problem) =>
            placedFinding({ key: keyOf(object), object }, problem, read.placeOf),
          ),
        );
        break;
    }
  }
  return {
    ...read,
    objects: [...objects.values()],
    problems: [...read.problems, ...problems],
    placeOf: (key, field) => read.placeOf(origins.get(key) ?? key, field),
  };
}
