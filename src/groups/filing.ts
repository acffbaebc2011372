// Decides in which buckets a selector is filed, so that a label set meets only the selectors that can select it. A
// bucket is named by a label, or by a label key alone. A pseudo key, which every object has, gets no bucket of its own:
// that bucket would hold everything. Invariant: every object that a filed selector selects looks into one of its
// buckets.

import { isPseudoKey } from "../model/selectable.ts";
import type { Labels } from "../model/labels.ts";
import type { Requirement, Selector } from "../model/selector.ts";
import { unreachable } from "../lib/invariant.ts";

/** The buckets of a selector: the lookup finds it in any of them. */
export interface Filing {
  readonly buckets: readonly string[];
  /** Every bucket is of one label; false as soon as one holds all values of a key. */
  readonly exact: boolean;
}

/** The bucket of one label, or of one value of a pseudo key. */
export const labelBucket = (key: string, value: string): string => JSON.stringify([key, value]);
const keyBucket = (key: string): string => JSON.stringify([key]);

/** Every bucket that an object with these labels looks into. */
export function bucketsOf(labels: Labels): string[] {
  return [...labels].flatMap(([key, value]) => [labelBucket(key, value), keyBucket(key)]);
}

/** The most restrictive filing; null when no bucket can hold the selector and every label set must be tested. */
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

/**
 * NotIn and DoesNotExist select objects without the key, for which there is no bucket; every object has a pseudo key.
 */
function filingOfRequirement(requirement: Requirement): Filing | null {
  switch (requirement.operator) {
    case "In":
      return { buckets: requirement.values.map((value) => labelBucket(requirement.key, value)), exact: true };
    case "Exists":
    case "Contains":
    case "StartsWith":
    case "EndsWith":
      return isPseudoKey(requirement.key) ? null : { buckets: [keyBucket(requirement.key)], exact: false };
    case "NotIn":
    case "DoesNotExist":
      return null;
    default:
      return unreachable(requirement);
  }
}

/** All requirements must hold, so the filing of any one of them suffices. */
function mostRestrictive(filings: readonly (Filing | null)[]): Filing | null {
  return filings.reduce((best, filing) => (isMoreRestrictive(filing, best) ? filing : best), null);
}

function isMoreRestrictive(filing: Filing | null, than: Filing | null): boolean {
  if (filing === null || than === null) return filing !== null;
  return filing.exact === than.exact ? filing.buckets.length < than.buckets.length : filing.exact;
}

/** Any of them may hold, so the selector needs the filings of all. */
function union(filings: readonly (Filing | null)[]): Filing | null {
  const known = filings.filter((filing) => filing !== null);
  if (known.length < filings.length) return null;
  return {
    buckets: [...new Set(known.flatMap((filing) => filing.buckets))],
    exact: known.every((filing) => filing.exact),
  };
}
