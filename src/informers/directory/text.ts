// Text of a manifest → plain JSON values. YAML 1.2 with merge keys (a bare yes or on
// is a string here, where kubectl's YAML 1.1 makes it true). Bounded: no alias bomb, no deep nesting, no second key of
// the same name. A text is read whole or refused with one line.

import type { Document } from "yaml";
import { parseJson } from "../../model/reader.ts";
import { Faults } from "./yaml-faults.ts";
import type { TextError, YamlTree } from "./yaml-tree.ts";
import { errorAt, firstLine, maxDepth, offsetOf, parseTree } from "./yaml-tree.ts";

/** The values of the non-empty documents, each with its position among all documents. */
export interface ParsedText {
  readonly documents: readonly { readonly value: unknown; readonly index: number }[];
  /** The parsed tree, for finding lines; null for machine-written JSON. */
  readonly tree: YamlTree | null;
}

const quoteMark = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

export function parseText(text: string): ParsedText | TextError {
  return parseJsonText(text) ?? parseYamlText(text);
}

/**
 * Parses machine-written JSON, forty times faster than as YAML. Leaves anything unusual to YAML; a duplicate key shows
 * as one colon too many.
 */
function parseJsonText(text: string): ParsedText | null {
  const value = /^\s*\{/.test(text) ? parseJson(text) : undefined;
  if (value === undefined || countKeys(value, 0) !== countColons(text)) return null;
  return { documents: [{ value, index: 0 }], tree: null };
}

/** Number of keys of all objects in the value; meaningless when the value is too deep. */
function countKeys(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > maxDepth) return -Infinity;
  const children: readonly unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : children.length;
  return children.reduce<number>((sum, child) => sum + countKeys(child, depth + 1), own);
}

/** Colons outside of strings, in text that is known to be JSON. */
function countColons(text: string): number {
  let colons = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === quoteMark) inString = !inString;
    else if (inString && character === backslash) i++;
    else if (!inString && character === colon) colons++;
  }
  return colons;
}

function parseYamlText(text: string): ParsedText | TextError {
  const tree = parseTree(text);
  if ("message" in tree) return tree;
  const { counter, documents } = tree;
  const faults = new Faults();
  const values: { value: unknown; index: number }[] = [];
  for (const [index, document] of documents.entries()) {
    const [error] = document.errors;
    if (error !== undefined) return errorAt(counter, error.pos[0], firstLine(error));
    const fault = faults.of(document);
    if (fault !== null) return errorAt(counter, fault.offset, fault.message);
    const plain = plainValue(document);
    if ("error" in plain) return errorAt(counter, offsetOf(document.contents), plain.error);
    if (plain.value !== null) values.push({ value: plain.value, index });
  }
  return { documents: values, tree };
}

/** Converts by JSON text, so that no value keeps the file's text, or another value, in memory. */
function plainValue(document: Document.Parsed): { readonly value: unknown } | { readonly error: string } {
  try {
    // What aliases expand to was counted in yaml-faults.ts; the library's own count takes quadratic time.
    return { value: JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: -1 }))) };
  } catch (error) {
    return { error: firstLine(error) };
  }
}
