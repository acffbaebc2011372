// A selector of labels: an expression tree whose common case is a conjunction of label requirements. Selectors that are
// equal after sorting and deduplication have equal canonical text; each text is matched once.

import { compareTexts } from "../lib/ascending.ts";
import type { Labels } from "./labels.ts";
import { unreachable } from "../lib/invariant.ts";

/** What a label's value contains, starts with or ends with; without the label it is false. The text is not empty. */
export interface TextRequirement {
  readonly operator: "Contains" | "StartsWith" | "EndsWith";
  readonly key: string;
  readonly text: string;
}

/** As people read them. */
export const textOperators: Readonly<Record<TextRequirement["operator"], string>> = {
  Contains: "contains",
  StartsWith: "starts with",
  EndsWith: "ends with",
};

/** One label requirement; `values` are sorted and distinct. Kubernetes LabelSelectorRequirement, and text operators. */
export type Requirement =
  | { readonly operator: "In" | "NotIn"; readonly key: string; readonly values: readonly string[] }
  | { readonly operator: "Exists" | "DoesNotExist"; readonly key: string }
  | TextRequirement;

export type SelectorNode =
  | { readonly kind: "requirements"; readonly requirements: readonly Requirement[] }
  | { readonly kind: "and" | "or"; readonly operands: readonly Selector[] }
  | { readonly kind: "not"; readonly operand: Selector };

/** A selector with its canonical text; make one with the functions below. */
export type Selector = SelectorNode & { readonly text: string };

/** Sorted values, each once. Every value contains the empty text. */
function canonicalRequirement(requirement: Requirement): Requirement {
  if ("text" in requirement)
    return requirement.text === "" ? { operator: "Exists", key: requirement.key } : requirement;
  if (!("values" in requirement) || requirement.values.length < 2) return requirement;
  return { ...requirement, values: [...new Set(requirement.values)].sort(compareTexts) };
}

/** The requirement's values, in the order of its canonical text, which is this list as JSON. */
function said(requirement: Requirement): readonly string[] {
  return [requirement.key, requirement.operator, ...operandsOf(requirement)];
}

/** What the requirement compares the label's value with: its values, or its text; empty where it asks for the key alone. */
export function operandsOf(requirement: Requirement): readonly string[] {
  if ("values" in requirement) return requirement.values;
  return "text" in requirement ? [requirement.text] : [];
}

function distinct(list: readonly Requirement[]): readonly Requirement[] {
  const texts = new Map(list.map((requirement) => [JSON.stringify(said(requirement)), requirement]));
  return [...texts].sort(([a], [b]) => compareTexts(a, b)).map(([, requirement]) => requirement);
}

/** All of the requirements must hold; an empty list selects everything. */
export function requirements(list: readonly Requirement[]): Selector {
  const canonical = list.map(canonicalRequirement);
  // Most selectors have one requirement or none: there is nothing to sort.
  const sorted = canonical.length < 2 ? canonical : distinct(canonical);
  return { kind: "requirements", requirements: sorted, text: JSON.stringify(sorted.map(said)) };
}

export const everything: Selector = requirements([]);

export function allOf(operands: readonly Selector[]): Selector {
  return combined("and", operands);
}

export function anyOf(operands: readonly Selector[]): Selector {
  return combined("or", operands);
}

export function negated(operand: Selector): Selector {
  return { kind: "not", operand, text: `not(${operand.text})` };
}

/** Whether the selector's result depends on this label key. */
export function mentions(selector: Selector, key: string): boolean {
  return requirementsOf(selector).some((requirement) => requirement.key === key);
}

/** Every requirement in it, also under a negation. */
export function requirementsOf(selector: Selector): readonly Requirement[] {
  switch (selector.kind) {
    case "requirements":
      return selector.requirements;
    case "and":
    case "or":
      return selector.operands.flatMap(requirementsOf);
    case "not":
      return requirementsOf(selector.operand);
    default:
      return unreachable(selector);
  }
}

function combined(kind: "and" | "or", operands: readonly Selector[]): Selector {
  const distinct = new Map(operands.map((operand) => [operand.text, operand]));
  const sorted = [...distinct.values()].sort((a, b) => compareTexts(a.text, b.text));
  return { kind, operands: sorted, text: `${kind}(${sorted.map((operand) => operand.text).join(",")})` };
}

/** NotIn and DoesNotExist hold for an object without the key (Kubernetes labels.Requirement.Matches). */
function requirementHolds(requirement: Requirement, labels: Labels): boolean {
  const value = labels.get(requirement.key);
  switch (requirement.operator) {
    case "In":
      return value !== undefined && requirement.values.includes(value);
    case "NotIn":
      return value === undefined || !requirement.values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Contains":
    case "StartsWith":
    case "EndsWith":
      return value !== undefined && textHolds(requirement, value);
    default:
      return unreachable(requirement);
  }
}

/** Whether a value, which is there, meets the requirement. Code units are compared: capitals differ from small letters. */
export function textHolds({ operator, text }: TextRequirement, value: string): boolean {
  switch (operator) {
    case "Contains":
      return value.includes(text);
    case "StartsWith":
      return value.startsWith(text);
    case "EndsWith":
      return value.endsWith(text);
    default:
      return unreachable(operator);
  }
}

export function selects(selector: Selector, labels: Labels): boolean {
  switch (selector.kind) {
    case "requirements":
      return selector.requirements.every((requirement) => requirementHolds(requirement, labels));
    case "and":
      return selector.operands.every((operand) => selects(operand, labels));
    case "or":
      return selector.operands.some((operand) => selects(operand, labels));
    case "not":
      return !selects(selector.operand, labels);
    default:
      return unreachable(selector);
  }
}
