// What a request asks, and the refusals that its client reads: each an Error of one sentence.

/** What a query says; the first of a name counts. */
export type Query = Pick<URLSearchParams, "get" | "getAll">;

/** What the page was given is no question. */
export class BadQuestion extends Error {
  override readonly name = "BadQuestion";
}

/** There is no object of that name. */
export class NotThere extends Error {
  override readonly name = "NotThere";
}

/** "": it was not given. */
export function textOf(query: Query, name: string): string {
  return query.get(name) ?? "";
}

/** A number that is not negative. Throws BadQuestion. */
export function limitOf(query: Query, fallback: number, most: number, name = "limit"): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw new BadQuestion(`${name}: not a number`);
  return Math.min(Number(text), most);
}

/** From 0. */
export function offsetOf(query: Query): number {
  return limitOf(query, 0, Number.MAX_SAFE_INTEGER, "offset");
}
