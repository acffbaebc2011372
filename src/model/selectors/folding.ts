// Selectors made of selectors, in the shortest form that is found without search: what selects everything or nothing is folded
// away, lists of requirements that must all hold are one list, and an opposite that a requirement can say is one. Invariant: the
// result selects what allOf, anyOf and negated of the same operands select.

import { unreachable } from "../../lib/invariant.ts";
import type { Requirement, Selector } from "../selector.ts";
import { allOf, anyOf, everything, negated, requirements } from "../selector.ts";

export const nothing: Selector = anyOf([]);

/** A single operand comes back as it is. */
export function conjunctionOf(operands: readonly Selector[]): Selector {
  const parts = operands.flatMap((operand) => (operand.kind === "and" ? operand.operands : [operand]));
  if (parts.some(isNothing)) return nothing;
  const [only, ...others] = operands;
  if (only !== undefined && others.length === 0) return only;
  const lists = parts.filter((part) => part.kind === "requirements");
  const list = requirements(lists.flatMap((part) => part.requirements));
  const rest = parts.filter((part) => part.kind !== "requirements");
  return single("and", isEverything(list) ? rest : [list, ...rest]);
}

/** A single operand comes back as it is. */
export function disjunctionOf(operands: readonly Selector[]): Selector {
  const [only, ...others] = operands;
  if (only !== undefined && others.length === 0) return only;
  const parts = operands.flatMap((operand) => (operand.kind === "or" ? operand.operands : [operand]));
  return parts.some(isEverything) ? everything : single("or", withOneList(parts));
}

/** `a=x` or `a=y` is `a in (x, y)`. */
function withOneList(parts: readonly Selector[]): readonly Selector[] {
  const lists = new Map<string, readonly string[]>();
  const others: Selector[] = [];
  for (const part of parts) {
    const [one, ...more] = part.kind === "requirements" ? part.requirements : [];
    if (one?.operator !== "In" || more.length > 0) others.push(part);
    else lists.set(one.key, [...(lists.get(one.key) ?? []), ...one.values]);
  }
  const joined = Array.from(lists, ([key, values]) => folded({ operator: "In", key, values }));
  return [...joined, ...others];
}

export function negationOf(operand: Selector): Selector {
  if (isNothing(operand)) return everything;
  if (isEverything(operand)) return nothing;
  if (operand.kind === "not") return operand.operand;
  if (operand.kind !== "requirements") return negated(operand);
  const [only, ...others] = operand.requirements;
  if (only === undefined || others.length > 0) return negated(operand);
  const contrary = opposite(only);
  return contrary === null ? negated(operand) : folded(contrary);
}

/** The selector of one requirement. */
export function folded(requirement: Requirement): Selector {
  if ("values" in requirement && requirement.values.length === 0)
    return requirement.operator === "In" ? nothing : everything;
  return requirements([requirement]);
}

/** The selector with something in place of each requirement. */
export function replaced(selector: Selector, by: (requirement: Requirement) => Selector): Selector {
  switch (selector.kind) {
    case "requirements":
      return conjunctionOf(selector.requirements.map(by));
    case "and":
      return conjunctionOf(selector.operands.map((operand) => replaced(operand, by)));
    case "or":
      return disjunctionOf(selector.operands.map((operand) => replaced(operand, by)));
    case "not":
      return negationOf(replaced(selector.operand, by));
    default:
      return unreachable(selector);
  }
}

/** null: no requirement says the opposite, which a missing key meets too. */
export function opposite(requirement: Requirement): Requirement | null {
  switch (requirement.operator) {
    case "In":
      return { ...requirement, operator: "NotIn" };
    case "NotIn":
      return { ...requirement, operator: "In" };
    case "Exists":
      return { ...requirement, operator: "DoesNotExist" };
    case "DoesNotExist":
      return { ...requirement, operator: "Exists" };
    case "Contains":
    case "StartsWith":
    case "EndsWith":
      return null;
    default:
      return unreachable(requirement);
  }
}

export function isNothing(selector: Selector): boolean {
  return selector.kind === "or" && selector.operands.length === 0;
}

export function isEverything(selector: Selector): boolean {
  return selector.text === everything.text;
}

/** Operands with equal text count once. */
function single(kind: "and" | "or", operands: readonly Selector[]): Selector {
  const [first, ...others] = operands;
  if (first === undefined) return kind === "and" ? everything : nothing;
  if (others.every(({ text }) => text === first.text)) return first;
  return kind === "and" ? allOf(operands) : anyOf(operands);
}
