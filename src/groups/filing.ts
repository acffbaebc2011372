// In which drawers a selector is filed, so that a label set meets only the selectors that can select it. A drawer is
// named by a label, or by a label key alone. Invariant: whatever a filed selector selects has one of its drawers.

import type { Labels } from "../model/labels.ts";
import type { Requirement, Selector } from "../model/selector.ts";
import { unreachable } from "../lib/invariant.ts";

/** Where a selector is found: in any of `drawers`. */
export interface Filing {
  readonly drawers: readonly string[];
  /** Every drawer is of one label; false as soon as one holds all values of a key. */
  readonly exact: boolean;
}

const labelDrawer = (key: string, value: string): string => JSON.stringify([key, value]);
const keyDrawer = (key: string): string => JSON.stringify([key]);

/** Every drawer an object with these labels looks into. */
export function drawersOf(labels: Labels): string[] {
  return [...labels].flatMap(([key, value]) => [labelDrawer(key, value), keyDrawer(key)]);
}

/** The most restrictive filing; null when no drawer can hold the selector and everything must meet it. */
export function filingOf(selector: Selector): Filing | null {
  switch (selector.kind) {
    case "requirements":
      return mostRestrictive(selector.requirements.map(filingOfRequirement));
    case "and":
      return mostRestrictive(selector.operands.map(filingOf));
    case "or":
      return union(selector.operands.map(filingOf));
    case "not":
      return null;
    default:
      return unreachable(selector);
  }
}

/** NotIn and DoesNotExist select objects without the key, which no drawer knows. */
function filingOfRequirement(requirement: Requirement): Filing | null {
  switch (requirement.operator) {
    case "In":
      return { drawers: requirement.values.map((value) => labelDrawer(requirement.key, value)), exact: true };
    case "Exists":
      return { drawers: [keyDrawer(requirement.key)], exact: false };
    case "NotIn":
    case "DoesNotExist":
      return null;
    default:
      return unreachable(requirement);
  }
}

/** All must hold, so any one of them is enough to be found by. */
function mostRestrictive(filings: readonly (Filing | null)[]): Filing | null {
  return filings.reduce((best, filing) => (isMoreRestrictive(filing, best) ? filing : best), null);
}

function isMoreRestrictive(filing: Filing | null, than: Filing | null): boolean {
  if (filing === null || than === null) return filing !== null;
  return filing.exact === than.exact ? filing.drawers.length < than.drawers.length : filing.exact;
}

/** Any may hold, so it must be found by every one of them. */
function union(filings: readonly (Filing | null)[]): Filing | null {
  const known = filings.filter((filing) => filing !== null);
  if (known.length < filings.length) return null;
  return {
    drawers: [...new Set(known.flatMap((filing) => filing.drawers))],
    exact: known.every((filing) => filing.exact),
  };
}
