// What a user has written at a field of an object: the values as they are in the manifest, where the intermediate
// representation has them in canonical form. Knows paths as dialects give them; a path that is not there has nothing.

import type { PolicyObject } from "../model/object.ts";
import type { OrderedRule } from "../verdicts/entries.ts";
import type { Context } from "./context.ts";
import { partOf } from "./draft.ts";

export interface Written {
  /** As kubectl prints it. */
  readonly path: string;
  readonly text: string;
}

/** Every text under the field, in order. */
export function textsIn(object: PolicyObject | undefined, field: string): readonly Written[] {
  return [...texts(field, valueAt(object, field))];
}

/** What says the peers of a rule; undefined: nothing does, and they are everyone. */
export function peersIn(context: Context, entry: OrderedRule): unknown {
  const { key } = entry.policy;
  return valueAt(context.record(key)?.object, context.dialectOf(key).fieldOf(partOf(entry, "peers")));
}

/** undefined: there is no such field. */
export function valueAt(object: PolicyObject | undefined, field: string): unknown {
  const segments = field.split(/[.[\]]+/).filter((segment) => segment !== "");
  return segments.reduce<unknown>(child, object);
}

function child(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

function* texts(path: string, value: unknown): Generator<Written> {
  if (typeof value === "string") yield { path, text: value };
  else if (Array.isArray(value)) for (const [at, one] of value.entries()) yield* texts(`${path}[${at}]`, one);
  else if (typeof value === "object" && value !== null)
    for (const [key, one] of Object.entries(value)) yield* texts(`${path}.${key}`, one);
}
