// The lines of the fields of one document, in a few numbers for each field: a parsed tree is many times larger, and making it again
// takes hundreds of milliseconds for a text of a megabyte. From the tree of a YAML text, or straight from a JSON text.

import { isAlias, isCollection, isMap, isScalar, isSeq } from "yaml";
import type { Document, LineCounter } from "yaml";
import { offsetOf } from "./yaml-tree.ts";

export type Segment = string | number;

/** In place of a key: an item of a list, and a key that no path names. */
const [item, unnamed] = [-1, -2];

/** Parts come before the parts in them: the document, its first entry, what is in that, its second. */
export class FieldLines {
  readonly #names = new Map<string, number>();
  readonly #lines: number[] = [];
  /** The number of its name, or one of the two above. */
  readonly #keys: number[] = [];
  /** The first part that is not in it. */
  readonly #ends: number[] = [];
  /** By an alias, the part whose entries it has. */
  readonly #aliases = new Map<number, number>();

  /** A part in the one that was begun last and has not ended. `key` null: an item of a list. Gives its number. */
  begin(line: number, key: string | null): number {
    this.#lines.push(line);
    this.#keys.push(key === null ? item : this.#numberOf(key));
    return this.#ends.push(0) - 1;
  }

  /** As `begin`, of an entry that no path names. */
  beginUnnamed(line: number): number {
    this.#lines.push(line);
    this.#keys.push(unnamed);
    return this.#ends.push(0) - 1;
  }

  end(part: number): void {
    this.#ends[part] = this.#lines.length;
  }

  alias(part: number, of: number): void {
    this.#aliases.set(part, of);
  }

  /** Of the deepest part of the path that exists; lines count from 1. */
  at(path: readonly Segment[]): number {
    let part = 0;
    for (const segment of path) {
      const next = this.#find(this.#aliases.get(part) ?? part, segment);
      if (next === null) break;
      part = next;
    }
    return this.#lines[part] ?? 1;
  }

  #find(of: number, segment: Segment): number | null {
    const end = this.#ends[of] ?? 0;
    const first = of + 1;
    const isList = this.#keys[first] === item;
    const wanted = typeof segment === "string" && !isList ? this.#names.get(segment) : undefined;
    let left = isList ? Number(segment) : 0;
    for (let part = first; part < end; part = this.#ends[part] ?? end) {
      if (isList ? left-- === 0 : wanted !== undefined && this.#keys[part] === wanted) return part;
    }
    return null;
  }

  #numberOf(name: string): number {
    const known = this.#names.get(name) ?? this.#names.size;
    this.#names.set(name, known);
    return known;
  }
}

/** Of a document without errors. */
export function linesOfDocument({ contents }: Document.Parsed, counter: LineCounter): FieldLines {
  const lines = new FieldLines();
  const anchors = new Map<string, number>();
  const lineAt = (node: unknown): number => counter.linePos(offsetOf(node)).line;
  const fill = (part: number, node: unknown): void => {
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchors.set(node.anchor, part);
    if (isAlias(node)) lines.alias(part, anchors.get(node.source) ?? part);
    if (isSeq(node)) for (const one of node.items) fill(lines.begin(lineAt(one), null), one);
    if (isMap(node))
      for (const { key, value } of node.items) {
        const line = lineAt(key);
        const isNamed = isScalar(key);
        const entry = isNamed ? lines.begin(line, String(key.value)) : lines.beginUnnamed(line);
        if (isNamed && key.anchor !== undefined) anchors.set(key.anchor, entry);
        fill(entry, value);
      }
    lines.end(part);
  };
  fill(lines.begin(lineAt(contents), null), contents);
  return lines;
}

const quoteMark = 0x22;
const backslash = 0x5c;
const lineFeed = 0x0a;
const comma = 0x2c;
const colon = 0x3a;
const space = 0x20;
const [openList, closeList, openMap, closeMap] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The part of a string that is read. */
export type Text = Pick<string, "charCodeAt" | "slice" | "length">;

/** Of a text that is JSON, at one look at each character: spaces and colons say nothing of lines. */
export function linesOfJson(text: Text): FieldLines {
  const reading = new JsonLines();
  let line = 1;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === lineFeed) line++;
    if (character <= space || character === colon) continue;
    const end = character === quoteMark ? endOfText(text, at) : at;
    reading.take(character, line, () => text.slice(at, end + 1));
    at = end;
  }
  return reading.end();
}

/** What has begun and not ended. */
class JsonLines {
  readonly #lines = new FieldLines();
  readonly #open: { readonly part: number; readonly isMap: boolean }[] = [];
  /** What the next comma or bracket ends; null: what comes next begins a part. */
  #part: number | null = null;

  /** `slice`: the whole text that begins with this character. */
  take(character: number, line: number, slice: () => string): void {
    if (character === comma) this.#close();
    else if (character === closeList || character === closeMap) {
      this.#close();
      this.#part = this.#open.pop()?.part ?? null;
    } else {
      const isKey = this.#open.at(-1)?.isMap === true;
      this.#part ??= this.#lines.begin(line, isKey ? keyOf(slice()) : null);
      if (character !== openList && character !== openMap) return;
      this.#open.push({ part: this.#part, isMap: character === openMap });
      this.#part = null;
    }
  }

  end(): FieldLines {
    this.#close();
    return this.#lines;
  }

  #close(): void {
    if (this.#part !== null) this.#lines.end(this.#part);
    this.#part = null;
  }
}

/** The place of the mark that ends the text which begins here. */
function endOfText(text: Text, begin: number): number {
  let at = begin + 1;
  for (; at < text.length && text.charCodeAt(at) !== quoteMark; at++)
    if (text.charCodeAt(at) === backslash) at++;
  return at;
}

function keyOf(quoted: string): string {
  return quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}
