// Equal objects, equal text: decides whether an edit of a file changed an object.

/** JSON with sorted keys; a Map is written as its sorted entries. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part instanceof Map) return { map: sorted([...part]) };
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(sorted(Object.entries(part)));
  });
}

function sorted(entries: readonly (readonly [unknown, unknown])[]): [string, unknown][] {
  return entries
    .map(([key, value]): [string, unknown] => [String(key), value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
