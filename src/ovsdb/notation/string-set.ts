// A set of strings held as one string: the elements in ascending order between separators. A set column may hold tens of
// thousands of elements and a database thousands of such sets; this way an element costs its characters and one more, and
// equality is that of two strings. Refuses elements that contain the separator, which ovsdb-server refuses too.

import { ascending } from "../../lib/ascending.ts";

/** NUL: no <string> of RFC 7047 section 3.1 should contain it. */
const separator = "\0";

/** A set to query and iterate. */
export interface Elements<A> extends Iterable<A> {
  readonly size: number;
  has(element: A): boolean;
}

export class StringSet implements Elements<string> {
  #text = separator;
  #inText = 0;
  /**
   * Elements by which the set differs from its text, a fraction of it: adding or removing one does not move all the
   * others and needs no search.
   */
  #toggled: Set<string> | null = null;

  /** In any order; repeated elements count once. */
  static of(elements: readonly string[]): StringSet {
    const set = new StringSet();
    set.#fill(ascending(elements));
    return set;
  }

  /** Searches the recently added and removed elements. */
  get size(): number {
    let size = this.#inText;
    for (const element of this.#toggled ?? []) size += isIn(this.#text, element) ? -1 : 1;
    return size;
  }

  has(element: string): boolean {
    return isIn(this.#text, element) !== (this.#toggled?.has(element) ?? false);
  }

  /** In ascending order of UTF-16 code units. */
  [Symbol.iterator](): IterableIterator<string> {
    return this.toArray().values();
  }

  /** In ascending order of UTF-16 code units. */
  toArray(): readonly string[] {
    const inText = this.#text === separator ? [] : this.#text.slice(1, -1).split(separator);
    return this.#toggled === null ? inText : inOneOnly(inText, ascending([...this.#toggled]));
  }

  /**
   * Whether the set holds just these, each of them once and in ascending order. The list must not be edited later: its text is
   * kept as long as the list is, and equal sets then have that one text.
   */
  isExactly(sorted: readonly string[]): boolean {
    if (this.#toggled !== null) this.#fill(this.toArray());
    if (sorted.length !== this.#inText) return false;
    const text = knownTextOf(sorted);
    if (text !== this.#text) return false;
    this.#text = text;
    return true;
  }

  /** Removes each element that is in the set, adds each other one. */
  toggle(elements: readonly string[]): void {
    for (const element of elements) refuseSeparator(element);
    const toggled = this.#toggled ?? new Set<string>();
    for (const element of elements) if (!toggled.delete(element)) toggled.add(element);
    this.#toggled = toggled.size > 0 ? toggled : null;
    if (toggled.size > 8 + this.#inText / 8) this.#fill(this.toArray());
  }

  #fill(sorted: readonly string[]): void {
    for (const element of sorted) refuseSeparator(element);
    this.#inText = sorted.length;
    this.#text = textOf(sorted);
    this.#toggled = null;
  }
}

/** Binary search for an element between the separators of a text. */
function isIn(text: string, element: string): boolean {
  let low = 0;
  let high = text.length - 1;
  while (low < high) {
    const start = text.lastIndexOf(separator, (low + high) >> 1);
    const end = text.indexOf(separator, start + 1);
    const here = text.slice(start + 1, end);
    if (here === element) return true;
    if (here < element) low = end;
    else high = start;
  }
  return false;
}

/** Whether a set holds just these, each of them once and in ascending order. */
export function isExactly(set: Elements<string>, sorted: readonly string[]): boolean {
  if (set instanceof StringSet) return set.isExactly(sorted);
  return sorted.length === set.size && sorted.every((element) => set.has(element));
}

/** The elements that are in exactly one of the two. */
export function symmetricDifference(a: StringSet, b: StringSet): readonly string[] {
  return inOneOnly(a.toArray(), b.toArray());
}

function textOf(sorted: readonly string[]): string {
  return sorted.length === 0 ? separator : separator + sorted.join(separator) + separator;
}

/** The texts of lists of so many elements or more are kept: many sets are compared with the same list. */
const longList = 32;

const knownTexts = new WeakMap<readonly string[], string>();

function knownTextOf(sorted: readonly string[]): string {
  if (sorted.length < longList) return textOf(sorted);
  const known = knownTexts.get(sorted);
  if (known !== undefined) return known;
  const text = textOf(sorted);
  knownTexts.set(sorted, text);
  return text;
}

/** The elements that are in exactly one of two ascending lists. */
function inOneOnly(a: readonly string[], b: readonly string[]): readonly string[] {
  const result: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left === right) {
      i++;
      j++;
    } else if (right === undefined || (left !== undefined && left < right)) {
      result.push(left ?? "");
      i++;
    } else {
      result.push(right);
      j++;
    }
  }
  return result;
}

function refuseSeparator(element: string): void {
  if (element.includes(separator)) throw new RangeError("an element of a set contains NUL");
}
