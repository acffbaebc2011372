// Equality and depth of JSON values. Equality runs over a whole policy at each edit, mostly before the engine is compiled to machine code:
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

/** Whether lists and objects are nested in each other for more than so many levels. Looks no deeper than that. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((part) => isDeeperThan(levels - 1, part));
}
