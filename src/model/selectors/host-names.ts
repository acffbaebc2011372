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

/** Of no text every name holds. */
function textRequirement(operator: TextRequirement["operator"], text: string): readonly Requirement[] {
  return text === "" ? [] : [{ operator, key: hostNameKey, text }];
}

function canOverlap(head: string, tail: string): boolean {
  return Array.from(head, (_, at) => head.slice(at)).some((end) => tail.startsWith(end));
}
