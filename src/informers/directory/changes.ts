// Places of a manifest's text to be changed, byte for byte: a text on one line, an item of a list, a field of a map. Lines are cut out
// whole, with the comment at their end; what shares its line with something else is cut out of flow collections only.

import { isDeepStrictEqual } from "node:util";
import type { Node } from "yaml";
import { isCollection, isMap, isPair, isScalar, isSeq, parse } from "yaml";
import type { TextChange } from "../../lib/text/text-change.ts";
import type { Step } from "./steps.ts";

/** In the quotes that it has; null: it is not that text, or is on several lines. */
export function replacementOf(text: string, node: Node | null, from: string, to: string): TextChange | null {
  if (!isScalar(node) || node.value !== from || !node.range) return null;
  const [start, end] = node.range;
  const source = text.slice(start, end);
  const written = quotedLike(source, to);
  return written === null || source.includes("\n") ? null : { start, end, text: written };
}

function quotedLike(source: string, to: string): string | null {
  if (source.startsWith('"')) return JSON.stringify(to);
  if (source.startsWith("'")) return `'${to.replaceAll("'", "''")}'`;
  return !source.startsWith("|") && !source.startsWith(">") && isPlain(to) ? to : null;
}

function isPlain(text: string): boolean {
  try {
    const inList: unknown = parse(`[${text}]`);
    const inMap: unknown = parse(`a: ${text}`);
    return isDeepStrictEqual(inList, [text]) && isDeepStrictEqual(inMap, { a: text });
  } catch {
    return false;
  }
}

/** null: it shares its lines with something else. `isRemoved`: what is removed as well. */
export function removalIn(
  text: string,
  steps: readonly Step[],
  isRemoved: (node: Node) => boolean,
): TextChange | null {
  const [own, around] = [steps.at(-1), steps.at(-2)];
  if (own?.node === undefined || own.node === null || around === undefined) return null;
  const collection = around.node;
  if (!isMap(collection) && !isSeq(collection)) return null;
  return collection.flow === true
    ? inFlow(text, extentsOf(collection.items, isRemoved), own.node)
    : inLines(text, own.key ?? own.node, own.node, own.key === null);
}

interface Extent {
  readonly node: unknown;
  readonly start: number;
  readonly end: number;
  readonly isRemoved: boolean;
}

function extentsOf(items: readonly unknown[], isRemoved: (node: Node) => boolean): readonly Extent[] {
  return items.flatMap((item) => {
    const [first, last] = isPair<Node, Node | null>(item) ? [item.key, item.value ?? item.key] : [item, item];
    const [start, end] = [startOf(first), endOf(last)];
    if (start === null || end === null) return [];
    return [{ node: last, start, end, isRemoved: isRemoved(last as Node) }];
  });
}

/** With one comma. */
function inFlow(text: string, extents: readonly Extent[], node: Node): TextChange | null {
  const at = extents.findIndex((one) => one.node === node);
  const [before, own, after] = [extents[at - 1], extents[at], extents[at + 1]];
  if (own === undefined) return null;
  const hasKept = extents.slice(0, at).some((one) => !one.isRemoved);
  const [start, end] = hasKept ? [before?.end, own.end] : [own.start, after?.start];
  if (start === undefined || end === undefined) return null;
  const comma = hasKept ? text.slice(start, own.start) : text.slice(own.end, end);
  return /^\s*,\s*$/.test(comma) ? { start, end, text: "" } : null;
}

/** Whole lines. */
function inLines(text: string, first: Node, last: Node, isItem: boolean): TextChange | null {
  const [from, to] = [startOf(first), endOf(last)];
  if (from === null || to === null) return null;
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const next = text.indexOf("\n", to);
  const end = next < 0 ? text.length : next + 1;
  const isAlone = (isItem ? /^[ \t]*-[ \t]+$/ : /^[ \t]*$/).test(text.slice(start, from));
  return isAlone && /^[ \t]*(?:#.*)?\r?\n?$/.test(text.slice(to, end)) ? { start, end, text: "" } : null;
}

function startOf(node: unknown): number | null {
  return isScalar(node) || isCollection(node) ? (node.range?.[0] ?? null) : null;
}

/** A block collection ends with its last value. */
function endOf(node: unknown): number | null {
  if (isCollection(node) && node.flow !== true) {
    const last = node.items.at(-1);
    return isPair(last) ? endOf(last.value ?? last.key) : endOf(last);
  }
  return isScalar(node) || isCollection(node) ? (node.range?.[1] ?? null) : null;
}
