// Strings in ascending order, by UTF-16 code units: how to compare two, and lists of distinct ones: how to make one, and how to merge several.

/** Negative: `a` is first. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sorted and distinct; a list that already is both is only checked and returned. */
export function ascending<T extends string>(elements: readonly T[]): readonly T[] {
  if (isAscending(elements)) return elements;
  const sorted = elements.toSorted();
  return sorted.filter((element, at) => element !== sorted[at - 1]);
}

function isAscending(elements: readonly string[]): boolean {
  let before: string | null = null;
  for (const element of elements) {
    if (before !== null && element <= before) return false;
    before = element;
  }
  return true;
}

/** The elements of ascending lists in one ascending list. */
export function union(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  return others.reduce(unionOfTwo, first);
}

function unionOfTwo(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length === 0) return b;
  const result: string[] = [];
  let at = 0;
  let right = b[at];
  for (const left of a) {
    for (; right !== undefined && right < left; right = b[++at]) result.push(right);
    if (right === left) right = b[++at];
    result.push(left);
  }
  for (; right !== undefined; right = b[++at]) result.push(right);
  return result;
}
