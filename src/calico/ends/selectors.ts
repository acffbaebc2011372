// Texts of selectors → selectors whose keys are as users write them, and those → groups of pods and namespaces.

import type { Selector } from "../../model/selector.ts";
import { selects } from "../../model/selector.ts";
import type { Field } from "../../model/reader.ts";
import type { PodGroup } from "../../policy/ir.ts";
import { namespaceKeys, podKeys } from "../selector/keys.ts";
import { parseSelector } from "../selector/parse.ts";
import { splitByNamespace } from "../../model/namespace-of-pod.ts";

/** Characters; as Calico's CRDs have it. */
const longest = 1024;

export interface NamespaceSelector {
  readonly selector: Selector;
  /** What is in no namespace, and nothing else. */
  readonly isGlobal: boolean;
}

/** "none": it is absent or empty; null: an error was reported. */
export function readSelector(field: Field): Selector | "none" | null {
  const read = parsed(field);
  if (read === null || read === "none") return read;
  if (read.isGlobal) return field.error("must not have global()", "InvalidSelector");
  return read.selector;
}

/** "none": it is absent or empty; null: an error was reported. */
export function readNamespaceSelector(field: Field): NamespaceSelector | "none" | null {
  const read = parsed(field);
  if (read === null || read === "none" || !read.isGlobal) return read;
  return /^[ \t]*global\([ \t]*\)[ \t]*$/.test(String(field.raw))
    ? read
    : field.error("global() must be alone", "InvalidSelector");
}

function parsed(field: Field): NamespaceSelector | "none" | null {
  if (!field.present) return "none";
  const text = field.string();
  if (text === null) return null;
  if (text.length > longest)
    return field.error(`must have at most ${longest} characters, not ${text.length}`, "TooMany");
  if (/^[ \t]*$/.test(text)) return "none";
  const read = parseSelector(text);
  if ("message" in read)
    return field.error(`${read.message} (at character ${read.at + 1})`, "InvalidSelector");
  return { selector: read.selector, isGlobal: read.global };
}

/** The pods that a selector of endpoints' labels selects. `field` has the selector; null: an error was reported. */
export function podsByLabels(field: Field, labels: Selector): readonly PodGroup[] | null {
  const products = splitByNamespace(podKeys(labels));
  if (products === null)
    return field.error("asks for the pod's namespace in more ways than are supported", "Unsupported");
  return products.map(({ namespaces, pods }) => ({ kind: "pods", namespaces, pods }));
}

/** The namespaces that a selector of namespaces' labels selects. */
export function namespacesBy(selector: Selector): Selector {
  return namespaceKeys(selector);
}

/** Whether the selector's result depends on no other key. */
export function asksOnly(selector: Selector, key: string): boolean {
  switch (selector.kind) {
    case "requirements":
      return selector.requirements.every((requirement) => requirement.key === key);
    case "and":
    case "or":
      return selector.operands.every((operand) => asksOnly(operand, key));
    case "not":
      return asksOnly(selector.operand, key);
  }
}

/**
 * Whether a selector of namespaces holds for what is in none: as Calico's code has it, all() does not hold, and what negates a label
 * does.
 */
export function holdsWithoutNamespace(selector: Selector): boolean {
  switch (selector.kind) {
    case "requirements":
      return selector.requirements.length > 0 && selects(selector, new Map());
    case "and":
      return selector.operands.every(holdsWithoutNamespace);
    case "or":
      return selector.operands.some(holdsWithoutNamespace);
    case "not":
      return !holdsWithoutNamespace(selector.operand);
  }
}
