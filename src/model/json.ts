// Equality of JSON values. Asked of all of a policy whenever it is edited, mostly before the engine has compiled any of
// this: few calls and no lists made on the way.

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The order of an object's fields says nothing. Looks no deeper than the shallower of the two. `canonical`: a field that,
 * where it holds a text, says all that its object says.
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
