// What requirements leave of the values of one label key. Exact: as many requirements as there may be, a set of values is within
// another, or empty, if and only if the values are that meet the requirements. Says nothing of which values labels may have.

import { unreachable } from "../../lib/invariant.ts";
import { isPseudoKey } from "../../model/selectable.ts";
import type { Requirement, TextRequirement } from "../../model/selector.ts";
import { textHolds } from "../../model/selector.ts";

/** What the value of one key may be: among the values, or not among them; and whether the key may be missing. */
export interface Allowed {
  readonly among: boolean;
  /** Where the value is among them, they meet the texts. */
  readonly values: ReadonlySet<string>;
  /** All must hold of a value that is not among the values; empty where it is among them. */
  readonly texts: readonly TextRequirement[];
  readonly missing: boolean;
}

const anything: Allowed = { among: false, values: new Set(), texts: [], missing: true };

/** By key; a key that no requirement names is left out. */
export function allowedBy(list: readonly Requirement[]): ReadonlyMap<string, Allowed> {
  const allowed = new Map<string, Allowed>();
  for (const one of list)
    allowed.set(one.key, both(allowed.get(one.key) ?? ownValues(one.key), allowedByOne(one)));
  return allowed;
}

/** Without a requirement: a name is never missing. */
export function ownValues(key: string): Allowed {
  return isPseudoKey(key) ? { ...anything, missing: false } : anything;
}

function allowedByOne(requirement: Requirement): Allowed {
  switch (requirement.operator) {
    case "In":
      return { among: true, values: new Set(requirement.values), texts: [], missing: false };
    case "NotIn":
      return { among: false, values: new Set(requirement.values), texts: [], missing: true };
    case "Exists":
      return { ...anything, missing: false };
    case "DoesNotExist":
      return { among: true, values: new Set(), texts: [], missing: true };
    case "Contains":
    case "StartsWith":
    case "EndsWith":
      return { ...anything, texts: [requirement], missing: false };
    default:
      return unreachable(requirement);
  }
}

function both(a: Allowed, b: Allowed): Allowed {
  const missing = a.missing && b.missing;
  const texts = [...a.texts, ...b.texts];
  if (!a.among && !b.among) return { among: false, values: a.values.union(b.values), texts, missing };
  const values = valuesOfBoth(a, b);
  const meeting = [...values].filter((value) => texts.every((text) => textHolds(text, value)));
  return { among: true, values: new Set(meeting), texts: [], missing };
}

function valuesOfBoth(a: Allowed, b: Allowed): ReadonlySet<string> {
  if (a.among && b.among) return a.values.intersection(b.values);
  return a.among ? a.values.difference(b.values) : b.values.difference(a.values);
}

export function isNothing({ among, values, texts, missing }: Allowed): boolean {
  return !missing && (among ? values.size === 0 : areContrary(texts));
}

/** Whether no value meets all: two beginnings, or two ends, that differ. Any others stand side by side in some value. */
function areContrary(texts: readonly TextRequirement[]): boolean {
  return texts.some(({ operator, text }) =>
    texts.some((other) => {
      if (operator === "Contains" || other.operator !== operator) return false;
      const [short, long] = text.length < other.text.length ? [text, other.text] : [other.text, text];
      return !textHolds({ operator, key: "", text: short }, long);
    }),
  );
}

/** `inner` is not nothing. */
export function isWithin(inner: Allowed, outer: Allowed): boolean {
  if (inner.missing && !outer.missing) return false;
  if (inner.among) return [...inner.values].every((value) => mayBe(outer, value));
  if (outer.among) return false;
  return (
    outer.texts.every((text) => inner.texts.some((one) => textImplies(one, text))) &&
    [...outer.values].every((value) => !mayBe(inner, value))
  );
}

function mayBe({ among, values, texts }: Allowed, value: string): boolean {
  return values.has(value) === among && texts.every((text) => textHolds(text, value));
}

/** Whether each value that meets the one meets the other. */
function textImplies(narrow: TextRequirement, wide: TextRequirement): boolean {
  const isOfOneEnd = wide.operator === "Contains" || wide.operator === narrow.operator;
  return isOfOneEnd && textHolds(wide, narrow.text);
}
