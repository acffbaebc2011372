// How explain, plan, lint and get name policies and rules, in JSON and in text: the same names everywhere, each with the
// line that a user would edit. Names are of the object that the user wrote, never of rows.

import type { LocationOf } from "../model/object.ts";
import { kindText, kindTextOf } from "../model/object.ts";
import type { Workload } from "../model/workload.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { Action, Direction, Policy, PolicyKey, Rule } from "../policy/ir.ts";

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
  /** The action as the users of its kind write it: `Drop` for what other kinds call `Deny`. */
  readonly word: string;
  /** `file:line`; null: the object is from no file. */
  readonly place: string | null;
}

/** The names alone. */
export function refOfWorkload({ group, kind, namespace, name }: Workload): Ref {
  return { group, kind, namespace, name };
}

/** `AdminNetworkPolicy cluster-control`, `NetworkPolicy shop/web`. A user's text: the caller that prints it makes it harmless. */
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

/** `dialect`: null for policies that no user wrote, those by which nodes reach their own pods. They have no place. */
export function ruleRefOf(
  key: PolicyKey,
  direction: Direction,
  { index, name, action }: Rule,
  dialect: Pick<Dialect, "fieldOf" | "kinds"> | null,
  placeOf: LocationOf,
): RuleRef {
  const field = dialect?.fieldOf({ kind: "rule", direction, index, field: "rule" });
  const place = field === undefined ? null : placeOf(key, field);
  return { direction, index, name, action, word: actionWord(key, action, dialect), place };
}

/** As the users of the policy's kind write the action; capitalized where no kind defines the word. */
export function actionWord(key: PolicyKey, action: Action, dialect: Pick<Dialect, "kinds"> | null): string {
  const kind = dialect?.kinds.find((one) => kindText(one) === kindTextOf(key));
  const [word] = kind?.actions.find(([, means]) => means === action) ?? [];
  return word ?? `${action.slice(0, 1).toUpperCase()}${action.slice(1)}`;
}

/** The names of kinds that several API groups have among these: people are shown the groups of their objects. */
export function sharedKinds(refs: Iterable<Pick<Ref, "group" | "kind">>): ReadonlySet<string> {
  const groups = new Map<string, string>();
  const shared = new Set<string>();
  for (const { group, kind } of refs) {
    if ((groups.get(kind) ?? group) !== group) shared.add(kind);
    groups.set(kind, group);
  }
  return shared;
}

/** As `refText`, with the group of a kind whose name several groups have among these: `Kind.group shop/web`. */
export function refTextAmong(refs: readonly Ref[]): (ref: Ref) => string {
  const shared = sharedKinds(refs);
  return (ref) => refText(shared.has(ref.kind) ? { ...ref, kind: kindText(ref) } : ref);
}
