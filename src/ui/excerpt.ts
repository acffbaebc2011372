// A few of many, with how many there are.

export interface Excerpt<T> {
  readonly total: number;
  readonly shown: readonly T[];
}

export function excerpt<T>(list: readonly T[], most: number): Excerpt<T> {
  return { total: list.length, shown: list.slice(0, most) };
}
