// Equality and depth of JSON values, and what two versions of one value share. Equality and sharing run over a whole policy
// at each edit, mostly before V8 has compiled them to machine code: few calls, and few objects made on the way.

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Fields in another order make another value. Compares no deeper than the shallower of the two. `canonical`: a field
 * whose text, where it has one, identifies its whole object.
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
  const [names, others] = [Object.keys(a), Object.keys(b)];
  if (names.length !== others.length) return false;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? "";
    if (name !== others[i]) return false;
    if (a[name] !== b[name] && !sameJson(a[name], b[name], canonical)) return false;
  }
  return true;
}

/**
 * A value equal to `value` that has the parts of `earlier` which are equal in the same place, order of fields included.
 * Returns `earlier` itself if everything is equal. Makes nothing as long as all parts are equal.
 */
export function sharing(value: unknown, earlier: unknown): unknown {
  if (value === earlier || typeof value !== "object" || typeof earlier !== "object") return value;
  if (value === null || earlier === null) return value;
  if (Array.isArray(value)) return Array.isArray(earlier) ? sharingList(value, earlier) : value;
  return Array.isArray(earlier) ? value : sharingObject(value as JsonObject, earlier as JsonObject);
}

function sharingList(value: readonly unknown[], earlier: readonly unknown[]): readonly unknown[] {
  let shared: unknown[] | null = null;
  for (let i = 0; i < value.length; i++) {
    const one: unknown = value[i];
    const was: unknown = earlier[i];
    const part = typeof one === "object" ? sharing(one, was) : one;
    if (shared === null && part !== was) shared = earlier.slice(0, i);
    shared?.push(part);
  }
  return shared ?? (value.length === earlier.length ? earlier : earlier.slice(0, value.length));
}

function sharingObject(value: JsonObject, earlier: JsonObject): JsonObject {
  const before = Object.keys(earlier);
  let shared: Record<string, unknown> | null = null;
  let count = 0;
  for (const name in value) {
    const isInPlace = name === before[count];
    const one = value[name];
    const was = isInPlace || Object.hasOwn(earlier, name) ? earlier[name] : undefined;
    const part = typeof one === "object" ? sharing(one, was) : one;
    if (shared === null && !(isInPlace && part === was)) shared = begun(value, earlier, count);
    if (shared !== null) shared[name] = part;
    count++;
  }
  return shared ?? (count === before.length ? earlier : begun(value, earlier, count));
}

/** A copy of `value` with the first `count` fields of `earlier`, which are the same. */
function begun(value: JsonObject, earlier: JsonObject, count: number): Record<string, unknown> {
  // Every field is the copy's own, __proto__ too, so that no assignment reaches a prototype.
  const copy = { ...value };
  for (const name of Object.keys(value).slice(0, count)) copy[name] = earlier[name];
  return copy;
}

/** Whether lists and objects are nested in each other for more than so many levels. Looks no deeper than that. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((part) => isDeeperThan(levels - 1, part));
}
