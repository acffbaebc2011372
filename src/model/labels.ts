// Labels of an object. Equal labels have equal canonical text, whatever order they arrive in.

export type Labels = ReadonlyMap<string, string>;

export const noLabels: Labels = new Map();

/** Canonical text: JSON of the entries sorted by key, so that no label value can imitate another map. */
export function canonicalLabels(labels: Labels): string {
  return JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)));
}
