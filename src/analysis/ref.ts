// How explain, plan, lint and get name policies and rules, in JSON and in text: the same names everywhere, each with the
// line that a user would edit. Names are of the object that the user wrote, never of rows.

import type { PlaceOf } from "../model/object.ts";
import type { Dialect } from "../policy/dialect.ts";
import type { Action, Direction, Policy, Rule } from "../policy/ir.ts";

/** A policy, or any other object. */
export interface Ref {
  /** The API group; "" for the core group. */
  readonly group: string;
  readonly kind: string;
  /** null: the object has no namespace. */
  readonly namespace: string | null;
  readonly name: string;
}

export interface RuleRef {
  readonly direction: Direction;
  /** In the list of its direction, from 0. */
  readonly index: number;
  /** "": the rule has none. */
  readonly name: string;
  readonly action: Action;
  /** `file:line`; null: the object is from no file. */
  readonly place: string | null;
}

/** `AdminNetworkPolicy cluster-control`, `NetworkPolicy shop/web`. A user's text: who prints it makes it harmless. */
export function refText({ kind, namespace, name }: Pick<Ref, "kind" | "namespace" | "name">): string {
  return namespace === null ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** `ingress[4] "default-deny"`. A user's text, as above. */
export function ruleText(direction: Direction, { index, name }: Pick<Rule, "index" | "name">): string {
  return name === "" ? `${direction}[${index}]` : `${direction}[${index}] "${name}"`;
}

export function refOf({ ref: { group, kind, namespace, name } }: Policy): Ref {
  return { group, kind, namespace, name };
}

export function ruleRefOf(
  policy: Policy,
  direction: Direction,
  { index, name, action }: Rule,
  dialect: Pick<Dialect, "fieldOf">,
  placeOf: PlaceOf,
): RuleRef {
  const field = dialect.fieldOf({ kind: "rule", direction, index, field: "rule" });
  return { direction, index, name, action, place: placeOf(policy.key, field) };
}
