// The selectors that a user may have meant instead of one that selects nothing: with one value or one key exchanged for another that
// labels have. Each of these selects something. How far one is is counted as for names: letters to change, and 3 for an equal value
// under another key.

import { lettersBetween } from "../lib/text/nearest.ts";
import type { Labels } from "../model/labels.ts";
import type { Requirement, Selector } from "../model/selector.ts";
import { requirements, selects } from "../model/selector.ts";
import { labelSelectorText } from "./label-selector.ts";

export interface NearSelector {
  readonly selector: Selector;
  readonly text: string;
  readonly far: number;
}

/** The distance of what is not near but says the same. */
const elsewhere = 3;

/** `all`: the labels of what could be selected. */
export function nearSelectors(selector: Selector, all: readonly Labels[]): readonly NearSelector[] {
  if (selector.kind !== "requirements") return [];
  const valuesByKey = new Map<string, Set<string>>();
  for (const labels of all)
    for (const [key, value] of labels) {
      const values = valuesByKey.get(key) ?? new Set();
      valuesByKey.set(key, values.add(value));
    }
  const found = selector.requirements.flatMap((one, at) =>
    exchanged(one, valuesByKey).map(({ requirement, far }) => ({
      selector: requirements(selector.requirements.with(at, requirement)),
      far,
    })),
  );
  return found.flatMap(({ selector: other, far }) => {
    const text = labelSelectorText(other);
    return text === null || !all.some((labels) => selects(other, labels))
      ? []
      : [{ selector: other, text, far }];
  });
}

interface Exchanged {
  readonly requirement: Requirement;
  readonly far: number;
}

function exchanged(
  requirement: Requirement,
  known: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Exchanged[] {
  if (requirement.operator === "Exists") return otherKeys(requirement, [], known);
  if (requirement.operator !== "In") return [];
  const { key, values } = requirement;
  const own = [...(known.get(key) ?? [])].filter((value) => !values.includes(value));
  const otherValues = values.flatMap((value, at) =>
    own.map((other) => ({
      requirement: { ...requirement, values: values.with(at, other) },
      far: lettersBetween(value, other),
    })),
  );
  return [...otherValues.filter(({ far }) => far < Infinity), ...otherKeys(requirement, values, known)];
}

/** Keys that are near, and keys that have one of the values. */
function otherKeys(
  requirement: Requirement,
  values: readonly string[],
  known: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Exchanged[] {
  return [...known].flatMap(([key, own]) => {
    if (key === requirement.key) return [];
    const isSaid = values.some((value) => own.has(value));
    const far = Math.min(lettersBetween(requirement.key, key), isSaid ? elsewhere : Infinity);
    return far < Infinity ? [{ requirement: { ...requirement, key }, far }] : [];
  });
}
