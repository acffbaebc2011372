// The world in which staged policies are in force: each replaces or removes the policy that it is about. What is staged stays
// outside the world, as it does in the world of today; what is wrong with it there is found by trying it.

import type { ObjectKey, ObjectKind, ReferencedObject, SourceProblem, WorldObject } from "../model/object.ts";
import { isApiObject, isReferenced, keyOf, kindTextOf } from "../model/object.ts";
import type { RenderedModel } from "../offline/rendered.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import { dialectsByKind } from "../policy/contracts/dialect.ts";
import type { Staging } from "../policy/contracts/policy-model.ts";
import { unstaged } from "../policy/staged.ts";
import { placedFinding } from "../status/findings.ts";
import type { ReadObjects } from "./read-objects.ts";
import { isOneOf } from "./world-models.ts";

/** Whether an object is a staged one. */
export function isStagedIn(kinds: readonly ObjectKind[], object: WorldObject): object is ReferencedObject {
  return isReferenced(object) && isOneOf(kinds, object);
}

export interface TriedObjects extends ReadObjects {
  /** By the key of a policy that a staged one sets, the key of that one. */
  readonly origins: ReadonlyMap<ObjectKey, ObjectKey>;
}

/** As `read`, with the policies in force that an annotation keeps out of it. */
export function withAnnotated(read: ReadObjects): ReadObjects {
  return { ...read, objects: read.objects.map((one) => (isApiObject(one) ? unstaged(one) : one)) };
}

/** As `read`, with the staged policies in force. Findings about such a policy are placed where the staged one is. */
export function withStaged(read: ReadObjects, staging: Staging): TriedObjects {
  const objects = new Map(read.objects.map((object) => [keyOf(object), object]));
  const origins = new Map<ObjectKey, ObjectKey>();
  const problems: SourceProblem[] = [];
  for (const object of read.objects) {
    if (!isStagedIn(staging.kinds, object)) continue;
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
          ...effect.problems.map((problem) => ({
            ...placedFinding({ key: keyOf(object), object }, problem, read.placeOf),
            key: keyOf(object),
          })),
        );
        break;
    }
  }
  return {
    ...read,
    objects: [...objects.values()],
    problems: [...read.problems, ...problems],
    origins,
    placeOf: (key, field) => read.placeOf(origins.get(key) ?? key, field),
  };
}

/**
 * What the staged policies of a world would be told if they were in force, each at its own place. Those of kinds that the dialects do
 * not have are left out. `modelOf`: a model of a world of these objects.
 */
export function findingsOfStaged(
  read: ReadObjects,
  staging: Staging,
  dialects: readonly Dialect[],
  modelOf: (objects: readonly WorldObject[]) => Pick<RenderedModel, "records">,
): readonly SourceProblem[] {
  const { staged } = read;
  if (staged.length === 0) return [];
  const tried = withStaged({ ...read, objects: [...read.objects, ...staged], problems: [] }, staging);
  const byKey = new Map<ObjectKey, ReferencedObject>(staged.map((object) => [keyOf(object), object]));
  const known = dialectsByKind(dialects);
  const isKnown = (key: ObjectKey): boolean => !tried.origins.has(key) || known.has(kindTextOf(key));
  const objects = tried.objects.filter(
    (object) => !isStagedIn(staging.kinds, object) && isKnown(keyOf(object)),
  );
  const found = [...modelOf(objects).records()].flatMap(({ key: policy, problems }) => {
    const key = tried.origins.get(policy);
    const object = key && byKey.get(key);
    if (key === undefined || object === undefined) return [];
    return problems.map((problem) => ({ ...placedFinding({ key, object }, problem, read.placeOf), key }));
  });
  return [...tried.problems, ...found];
}
