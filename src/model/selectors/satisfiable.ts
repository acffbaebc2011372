// Whether a selector could select anything at all, whatever labels there are. False only where it is certain: of lists of
// requirements it is exact, of what is made of them it may be true although nothing has such labels.

import { unreachable } from "../../lib/invariant.ts";
import type { Requirement, Selector } from "../selector.ts";
import { operandsOf, requirements, selects } from "../selector.ts";

export function isSatisfiable(selector: Selector): boolean {
  switch (selector.kind) {
    case "requirements":
      return [...Map.groupBy(selector.requirements, ({ key }) => key)].every(canHold);
    case "and":
      return selector.operands.every(isSatisfiable) && isSatisfiable(requirements(listed(selector)));
    case "or":
      return selector.operands.some(isSatisfiable);
    case "not":
      return true;
    default:
      return unreachable(selector);
  }
}

/** Whether some value of the key, or none, meets all of its requirements. */
function canHold([key, all]: readonly [string, readonly Requirement[]]): boolean {
  const values = all.flatMap((one) => ("values" in one ? one.values : []));
  const labels = [new Map(), ...[...values, another(all)].map((value) => new Map([[key, value]]))];
  return labels.some((one) => selects(requirements(all), one));
}

/**
 * A value that no requirement names and that meets all text requirements which can be met together. What is between its
 * parts is longer than any text that is asked for, so that no part meets another's requirement by accident.
 */
function another(all: readonly Requirement[]): string {
  const texts = (operator: Requirement["operator"]) =>
    all.flatMap((one) => ("text" in one && one.operator === operator ? [one.text] : []));
  const between = "#".repeat(1 + Math.max(0, ...all.flatMap(operandsOf).map(({ length }) => length)));
  return [longest(texts("StartsWith")), ...texts("Contains"), longest(texts("EndsWith"))].join(between);
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), "");
}

/** The requirements that all must hold. */
function listed(selector: Selector): readonly Requirement[] {
  if (selector.kind === "requirements") return selector.requirements;
  return selector.kind === "and" ? selector.operands.flatMap(listed) : [];
}
