// What a user has written at a field of an object: the values as they are in the manifest, where the intermediate
// representation has them in canonical form. Knows paths as dialects give them; a path that is not there has nothing.

import type { Cidr } from "../model/ip.ts";
import { parseCidr } from "../model/ip.ts";
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

/** The field of a rule's peers, and the texts under it. */
export function peersWritten(
  context: Context,
  entry: OrderedRule,
): { readonly field: string; readonly written: readonly Written[] } {
  const field = fieldOfPeers(context, entry);
  return { field, written: textsIn(context.record(entry.policy.key)?.object, field) };
}

/** Networks of a rule's peers, each once, with the field that says it; where none does so, that of all peers. */
export function fieldsOfNetworks(
  context: Context,
  entry: OrderedRule,
  networks: readonly Cidr[],
): ReadonlyMap<Cidr, string> {
  if (networks.length === 0) return new Map();
  const { field, written } = peersWritten(context, entry);
  const fieldOf = (cidr: Cidr) => written.find(({ text }) => parseCidr(text) === cidr)?.path ?? field;
  return new Map(networks.map((cidr) => [cidr, fieldOf(cidr)]));
}

/** What says the peers of a rule; undefined: nothing does, and they are everyone. */
export function peersIn(context: Context, entry: OrderedRule): unknown {
  return valueAt(context.record(entry.policy.key)?.object, fieldOfPeers(context, entry));
}

function fieldOfPeers(context: Context, entry: OrderedRule): string {
  return context.dialectOf(entry.policy.key).fieldOf(partOf(entry, "peers"));
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
