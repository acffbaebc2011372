// Values of JSON from another program, read strictly: each is what it must be, or the line that it is of is none. What is read is made
// anew, so that nothing else of the line goes on.

export type Fields = Readonly<Record<string, unknown>>;

/** A value is not what it must be. */
class Malformed extends Error {}

/** What `read` makes of the object that is the line; null: it is none of which it can make that. */
export function readLine<T>(line: string, read: (fields: Fields) => T): T | null {
  try {
    return read(objectOf(JSON.parse(line)));
  } catch (error) {
    if (error instanceof Malformed || error instanceof SyntaxError) return null;
    throw error;
  }
}

export function objectOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Malformed();
  return value as Fields;
}

export function textOf(value: unknown): string {
  if (typeof value !== "string") throw new Malformed();
  return value;
}

export function numberOf(value: unknown): number {
  if (typeof value !== "number") throw new Malformed();
  return value;
}

export function among<T>(value: unknown, values: readonly T[]): T {
  const at = values.findIndex((one) => one === value);
  if (at < 0) throw new Malformed();
  return values[at] as T;
}

export function orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === null ? null : read(value);
}

/** Of a check that gives null or undefined for what it refuses. */
export function valid<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Malformed();
  return value;
}
