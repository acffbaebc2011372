// The answer to a list, cut into its items without being parsed: each item is parsed when it is reached, so that no more than one is
// held as values. A page of 500 pods is 3 MB of text and four times as much as values, which would all live until the last was
// read. Reads exactly what JSON.parse reads: what is left when the items are cut out is parsed as a whole, and each item by itself.

import { parseJson } from "../../model/reader.ts";
import { backslash, quoteMark, step } from "./json-marks.ts";
import { answerDepth } from "./limits.ts";

const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;

const itemsName = Buffer.from('"items"');

export interface ListAnswer {
  /** The answer with an empty list of items; as it is where that is no list. */
  readonly body: unknown;
  /** Throws SyntaxError at an item that is not JSON. null: the answer has no list of items. */
  readonly items: Iterable<unknown> | null;
}

interface Cut {
  /** Where the list begins and ends: its brackets. */
  readonly open: number;
  readonly close: number;
  /** Where each item begins, and one past the end of the list; each item ends before the byte before the next. */
  readonly borders: readonly number[];
}

/** undefined when the text is not JSON, or nested deeper than any object of a server. */
export function readList(bytes: Buffer): ListAnswer | undefined {
  const cut = cutItems(bytes);
  if (cut === undefined) return undefined;
  if (cut === null) {
    const body = parseJson(bytes.toString());
    return body === undefined ? undefined : { body, items: null };
  }
  const { borders, open, close } = cut;
  const body = parseJson(bytes.toString("utf8", 0, open + 1) + bytes.toString("utf8", close));
  return body === undefined ? undefined : { body, items: parsedOneByOne(bytes, borders) };
}

function* parsedOneByOne(bytes: Buffer, borders: readonly number[]): Generator<unknown, void> {
  for (let at = 0; at + 1 < borders.length; at++)
    yield JSON.parse(bytes.toString("utf8", borders[at], (borders[at + 1] ?? 0) - 1));
}

/** null: there is no list of items at the top, or it is not plain which one counts; undefined: it is nested too deep. */
function cutItems(bytes: Buffer): Cut | null | undefined {
  const name = findItems(bytes, 0, 0);
  if (name === tooDeep) return undefined;
  const open = name === absent ? absent : listAfter(bytes, name);
  const cut = open === absent ? null : bordersOf(bytes, open);
  if (cut === null || cut === undefined) return cut;
  const another = findItems(bytes, cut.close + 1, 1);
  if (another === tooDeep) return undefined;
  return another === absent ? cut : null;
}

const absent = -1;
const tooDeep = -2;

/** The end of the first name `items` of an object at the top, from a place at this depth; or absent, or tooDeep. */
function findItems(bytes: Buffer, from: number, depthThere: number): number {
  let depth = depthThere;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quoteMark) {
      const end = endOfString(bytes, at);
      if (depth === 1 && isItems(bytes, at) && bytes[afterSpace(bytes, end + 1)] === colon) return end + 1;
      at = end;
    } else depth += step(byte);
    if (depth > answerDepth) return tooDeep;
  }
  return absent;
}

/** null: the list does not end; undefined: it is nested too deep. */
function bordersOf(bytes: Buffer, open: number): Cut | null | undefined {
  const borders = [open + 1];
  let depth = 2;
  for (let at = open + 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quoteMark) at = endOfString(bytes, at);
    else if (byte === comma && depth === 2) borders.push(at + 1);
    else depth += step(byte);
    if (depth > answerDepth) return undefined;
    if (depth > 1) continue;
    const isEmpty = afterSpace(bytes, open + 1) === at;
    return { open, close: at, borders: isEmpty ? [] : [...borders, at + 1] };
  }
  return null;
}

function isItems(bytes: Buffer, at: number): boolean {
  return (
    bytes.compare(itemsName, 0, itemsName.length, at, Math.min(at + itemsName.length, bytes.length)) === 0
  );
}

/** Where the list after a name begins; absent: another value is there. */
function listAfter(bytes: Buffer, name: number): number {
  const value = afterSpace(bytes, afterSpace(bytes, name) + 1);
  return bytes[value] === openBracket ? value : absent;
}

function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

/** The place of the closing quotation mark. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quoteMark) break;
    if (byte === backslash) at++;
  }
  return at;
}
