// Host names, and patterns of them, as selectors of names. In a pattern `*` stands for any text, dots too: so some APIs have it. In
// others `*.` at the front of a name is one label or more; that is the same, because no name begins with a dot.

import { hostNameKey } from "../selectable.ts";
import type { Requirement, Selector, TextRequirement } from "../selector.ts";
import { requirements } from "../selector.ts";

/** As facts and selectors have it: in lower case, without the final dot. */
export function canonicalHostName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/**
 * Selects the host names that the pattern matches. null: no selector means exactly that: of several `*`, and of texts around one
 * of which the first could end as the second begins (`ab*ba` does not match `aba`).
 */
export function hostNamesLike(pattern: string): Selector | null {
  const [head = "", tail, ...others] = canonicalHostName(pattern).split("*");
  if (tail === undefined) return requirements([{ operator: "In", key: hostNameKey, values: [head] }]);
  if (others.length > 0 || canOverlap(head, tail)) return null;
  return requirements([...textRequirement("StartsWith", head), ...textRequirement("EndsWith", tail)]);
}

/** The pattern of a selector that `hostNamesLike` made. */
export function hostNamePattern(selector: Selector): string {
  const found = selector.kind === "requirements" ? selector.requirements : [];
  const exact = exactHostName(selector);
  if (exact !== null) return exact;
  const textOf = (operator: TextRequirement["operator"]): string => {
    const one = found.find((requirement) => requirement.operator === operator);
    return one !== undefined && "text" in one ? one.text : "";
  };
  return `${textOf("StartsWith")}*${textOf("EndsWith")}`;
}

/** The one name that the selector selects; null: it is one of a pattern with a `*`. */
export function exactHostName(selector: Selector): string | null {
  const [one] = selector.kind === "requirements" ? selector.requirements : [];
  return one?.operator === "In" ? (one.values[0] ?? null) : null;
}

/** Of no text every name holds. */
function textRequirement(operator: TextRequirement["operator"], text: string): readonly Requirement[] {
  return text === "" ? [] : [{ operator, key: hostNameKey, text }];
}

function canOverlap(head: string, tail: string): boolean {
  return Array.from(head, (_, at) => head.slice(at)).some((end) => tail.startsWith(end));
}
