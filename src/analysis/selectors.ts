// Selectors in words, and why one does not select: its first requirement that does not hold. Says nothing of order: a
// selector's requirements have none. The judge of each requirement is model/selector.ts.

import { unreachable } from "../lib/invariant.ts";
import type { Labels } from "../model/labels.ts";
import { quote } from "../model/quote.ts";
import { hostNameKey, nameKey, serviceAccountKey } from "../model/selectable.ts";
import type { Requirement, Selector } from "../model/selector.ts";
import { requirements, selects, textOperators } from "../model/selector.ts";

/** What was wanted of a label, and the value that is there. */
export interface Unmet {
  /** `app=web`, `tier in (a, b)`, `no debug`. */
  readonly wanted: string;
  /** The label's value; "none": there is no such label. */
  readonly has: string;
}

/** Null: the selector selects. */
export function unmetBy(selector: Selector, labels: Labels): Unmet | null {
  if (selects(selector, labels)) return null;
  switch (selector.kind) {
    case "requirements": {
      const failing = selector.requirements.find((one) => !selects(requirements([one]), labels));
      return failing === undefined
        ? null
        : { wanted: requirementText(failing), has: labels.get(failing.key) ?? "none" };
    }
    case "and":
    case "or":
      return selector.operands.map((operand) => unmetBy(operand, labels)).find((one) => one !== null) ?? null;
    case "not":
      return { wanted: selectorText(selector), has: valuesOf(selector.operand, labels) };
    default:
      return unreachable(selector);
  }
}

/** "any": it selects everything. */
export function selectorText(selector: Selector): string {
  switch (selector.kind) {
    case "requirements":
      return selector.requirements.length === 0
        ? "any"
        : selector.requirements.map(requirementText).join(", ");
    case "and":
      return selector.operands.map(selectorText).join(", ");
    case "or":
      return `one of (${selector.operands.map(selectorText).join("; ")})`;
    case "not":
      return `not (${selectorText(selector.operand)})`;
    default:
      return unreachable(selector);
  }
}

function requirementText(requirement: Requirement): string {
  const { operator } = requirement;
  const key = keyText(requirement.key);
  switch (operator) {
    case "In":
      return requirement.values.length === 1
        ? `${key}=${requirement.values[0] ?? ""}`
        : `${key} in (${requirement.values.join(", ")})`;
    case "NotIn":
      return requirement.values.length === 1
        ? `${key}!=${requirement.values[0] ?? ""}`
        : `${key} not in (${requirement.values.join(", ")})`;
    case "Exists":
      return `label ${key}`;
    case "DoesNotExist":
      return `no label ${key}`;
    case "Contains":
    case "StartsWith":
    case "EndsWith":
      return `${key} ${textOperators[operator]} ${quote(requirement.text)}`;
    default:
      return unreachable(operator);
  }
}

/** A namespace's name, a service account and a host name are selected like labels, under keys that no label can have. */
function keyText(key: string): string {
  if (key === nameKey) return "kubernetes.io/metadata.name";
  if (key === hostNameKey) return "host name";
  return key === serviceAccountKey ? "service account" : key;
}

function valuesOf(selector: Selector, labels: Labels): string {
  const keys = [...new Set(keysOf(selector))];
  return keys.map((key) => `${keyText(key)}=${labels.get(key) ?? "none"}`).join(", ");
}

function keysOf(selector: Selector): readonly string[] {
  switch (selector.kind) {
    case "requirements":
      return selector.requirements.map(({ key }) => key);
    case "and":
    case "or":
      return selector.operands.flatMap(keysOf);
    case "not":
      return keysOf(selector.operand);
    default:
      return unreachable(selector);
  }
}
