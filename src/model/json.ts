// Equality of JSON values. Runs over a whole policy at each edit, mostly before the engine is compiled to machine code:
// few calls, and no lists made on the way.

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Ignores the order of an object's fields. Compares no deeper than the shallower of the two. `canonical`: a field whose
 * text, where it has one, identifies its whole object.
 */
export function sameJson(a: unknown, b: unknown, canonical: string | null = null): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b, canonical);
  return !Array.isArray(b) && sameObject(a as JsonObject, b as JsonObject, canonical);
}

function sameList(a: readonly unknown[], b: readonly unknown[], canonical: string | null): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !sameJson(a[i], b[i], canonical)) return false;
  return true;
}

function sameObject(a: JsonObject, b: JsonObject, canonical: string | null): boolean {
  if (canonical !== null && typeof a[canonical] === "string") return a[canonical] === b[canonical];
  let count = 0;
  for (const name in a) {
    if (!Object.hasOwn(b, name)) return false;
    if (a[name] !== b[name] && !sameJson(a[name], b[name], canonical)) return false;
    count++;
  }
  return count === Object.keys(b).length;
}

/**
 * A value equal to `value` that has the parts of `earlier` which are equal in the same place, order of fields included.
 * Returns `earlier` itself if everything is equal.
 */
export function sharing(value: unknown, earlier: unknown): unknown {
  if (value === earlier) return earlier;
  if (typeof value !== "object" || typeof earlier !== "object" || value === null || earlier === null)
    return value;
  if (Array.isArray(value)) return Array.isArray(earlier) ? sharingList(value, earlier) : value;
  return Array.isArray(earlier) ? value : sharingObject(value as JsonObject, earlier as JsonObject);
}

function sharingList(value: readonly unknown[], earlier: readonly unknown[]): readonly unknown[] {
  let same = value.length === earlier.length;
  const shared = value.map((item, place) => {
    const one = sharing(item, earlier[place]);
    same &&= one === earlier[place];
    return one;
  });
  return same ? earlier : shared;
}

function sharingObject(value: JsonObject, earlier: JsonObject): JsonObject {
  const names = Object.keys(value);
  const before = Object.keys(earlier);
  let same = names.length === before.length;
  const shared = names.map((name, place) => {
    const was = Object.hasOwn(earlier, name) ? earlier[name] : undefined;
    const one = sharing(value[name], was);
    same &&= name === before[place] && one === was;
    return [name, one] as const;
  });
  // fromEntries defines properties, so a field called __proto__ stays a field.
  return same ? earlier : Object.fromEntries(shared);
}
