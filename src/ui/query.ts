// What a query of the page asks for. The first of a name counts; what is no question is refused in a sentence.

export type Query = Pick<URLSearchParams, "get" | "getAll">;

/** What the page was given is no question. */
export class BadQuestion extends Error {
  override readonly name = "BadQuestion";
}

/** There is nothing of that name. */
export class NotThere extends Error {
  override readonly name = "NotThere";
}

const mostSearched = 500;
const mostWords = 16;

/** "": it is not there. */
export function textOf(query: Query, name: string): string {
  return query.get(name) ?? "";
}

/** A text that is looked for: of everything that is searched, once for each of its words. */
export function searchOf(query: Query, name: string): string {
  const text = textOf(query, name);
  if (text.length > mostSearched || text.split(/\s+/).length > mostWords)
    throw new BadQuestion(`${name}: at most ${mostSearched} characters and ${mostWords} words`);
  return text;
}

export function limitOf(query: Query, fallback: number, most: number, name = "limit"): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw new BadQuestion(`${name}: not a number`);
  return Math.min(Number(text), most);
}

/** From 0. */
export function offsetOf(query: Query, name = "offset"): number {
  return limitOf(query, 0, Number.MAX_SAFE_INTEGER, name);
}
