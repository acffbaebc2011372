// A world with the objects of a text laid over it, as `kubectl apply` would lay them. Reads only.

import { installed } from "../dialects.ts";
import { loadManifests } from "../informers/index.ts";
import { keyOf } from "../model/object.ts";
import type { ReadObjects } from "./read-objects.ts";
import type { WorldOptions } from "./world.ts";
import { kindsRead } from "./world-models.ts";

/** `name`: of the text, in places of findings. Only policies are read from it. */
export function withPolicies(
  read: ReadObjects,
  named: { readonly name: string; readonly text: string },
  options: WorldOptions,
): ReadObjects {
  const { policies } = installed(kindsRead(options));
  const { objects, problems, placeOf } = loadManifests([], policies, [], undefined, { texts: [named] });
  const own = new Set(objects.map(keyOf));
  return {
    ...read,
    objects: [...read.objects.filter((object) => !own.has(keyOf(object))), ...objects],
    problems: [...read.problems, ...problems],
    placeOf: (key, field) => placeOf(key, field) ?? read.placeOf(key, field),
  };
}
