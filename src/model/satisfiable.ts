// Whether a selector could select anything at all, whatever labels there are. False only where it is certain: of lists of
// requirements it is exact, of what is made of them it may be true although nothing has such labels.

import { unreachable } from "../lib/invariant.ts";
import type { Requirement, Selector } from "./selector.ts";
import { requirements, selects } from "./selector.ts";

/** No label has such a value: it represents all that no selector asks for. */
const another = "#";

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
  const labels = [new Map(), ...[...values, another].map((value) => new Map([[key, value]]))];
  return labels.some((one) => selects(requirements(all), one));
}

/** The requirements that all must hold. */
function listed(selector: Selector): readonly Requirement[] {
  if (selector.kind === "requirements") return selector.requirements;
  return selector.kind === "and" ? selector.operands.flatMap(listed) : [];
}
