// Texts of selectors → selectors whose keys are as users write them, and those → groups of pods and namespaces.

import { noLabels } from "../../model/labels.ts";
import type { Selector } from "../../model/selector.ts";
import { requirementsOf, selects } from "../../model/selector.ts";
import type { Field } from "../../model/reader.ts";
import type { PodGroup } from "../../policy/ir.ts";
import { namespaceSelector, podSelector } from "../selector/keys.ts";
import type { ParsedSelector } from "../selector/parse.ts";
import { parseSelector } from "../selector/parse.ts";
import type { Reading } from "../reading.ts";
import { unlabelledAccounts } from "./accounts.ts";
import { splitByNamespace } from "../../model/objects/namespace-of-pod.ts";

/** Characters; as Calico's CRDs have it. */
const longest = 1024;

export interface NamespaceSelector {
  readonly selector: Selector;
  /** What is in no namespace, and nothing else. */
  readonly isGlobal: boolean;
  /** Whether it holds for what is in no namespace too: as Calico's code has it, `all()` does not, and what else asks for no label does. */
  readonly holdsOutside: boolean;
}

/** "none": it is absent or empty; null: an error was reported. */
export function readSelector(field: Field): Selector | "none" | null {
  const read = parsed(field);
  if (read === null || read === "none") return read;
  if (read.global !== "none") return field.error("must not have global()", "InvalidSelector");
  return read.selector;
}

/** "none": it is absent or empty; null: an error was reported. */
export function readNamespaceSelector(field: Field): NamespaceSelector | "none" | null {
  const read = parsed(field);
  if (read === null || read === "none") return read;
  if (read.global === "inside") return field.error("global() must be alone", "InvalidSelector");
  const { selector, isAll } = read;
  const isGlobal = read.global === "alone";
  return { selector, isGlobal, holdsOutside: isGlobal || (!isAll && selects(selector, noLabels)) };
}

function parsed(field: Field): ParsedSelector | "none" | null {
  if (!field.present) return "none";
  const text = field.string();
  if (text === null) return null;
  if (text.length > longest)
    return field.error(`must have at most ${longest} characters, not ${text.length}`, "TooMany");
  if (/^[ \t]*$/.test(text)) return "none";
  const read = parseSelector(text);
  if ("message" in read) return field.error(read.message, "InvalidSelector");
  if (!requirementsOf(read.selector).some(({ key }) => isInherited(key))) return read;
  return field.error("labels that begin with pcns. or pcsa. are not supported", "Unsupported");
}

/** Inside Calico, labels of a pod's namespace and service account are labels of the pod under such names. */
function isInherited(key: string): boolean {
  return /^pc(ns|sa)\./.test(key);
}

/** The pods that a selector of endpoints' labels selects. `field` has the selector; null: an error was reported. */
export function podsByLabels(field: Field, labels: Selector, reading: Reading): readonly PodGroup[] | null {
  const products = splitByNamespace(podSelector(labels, () => unlabelledAccounts(reading)));
  if (products === null)
    return field.error("asks for the pod's namespace in more ways than are supported", "Unsupported");
  return products.map(({ namespaces, pods }) => ({ kind: "pods", namespaces, pods }));
}

/** The namespaces that a selector of namespaces' labels selects. */
export function namespacesBy(selector: Selector): Selector {
  return namespaceSelector(selector);
}

/** Whether the selector asks for no other key. */
export function asksOnly(selector: Selector, key: string): boolean {
  return requirementsOf(selector).every((requirement) => requirement.key === key);
}
