// Finds the line of a field in a manifest's text. A page asks for lines as long as it is open: neither the text of a YAML file nor
// its parsed tree is kept for them.

import type { FieldLines, Segment, Text } from "./field-lines.ts";
import { linesOfDocument, linesOfJson } from "./field-lines.ts";
import type { YamlTree } from "./yaml-tree.ts";

export type { Segment } from "./field-lines.ts";

export class Lines {
  /** Of a JSON text: it is read again, once, when a line is asked for; null: it was. */
  #text: Text | null;
  #documents: readonly FieldLines[];

  /** `tree` null: the text is JSON. */
  constructor(text: Text, tree: YamlTree | null) {
    this.#text = tree === null ? text : null;
    this.#documents = tree?.documents.map((document) => linesOfDocument(document, tree.counter)) ?? [];
  }

  /** Line of the deepest part of the path that exists in the document; lines count from 1. */
  at(index: number, path: readonly Segment[]): number {
    if (this.#text !== null) this.#documents = [linesOfJson(this.#text)];
    this.#text = null;
    return this.#documents[index]?.at(path) ?? 1;
  }
}

/** The segments of a Problem's field, as far as they can be parsed: long keys are cut in it. */
export function segmentsOf(field: string): readonly Segment[] {
  const segment = /\.?([A-Za-z_][\w-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  const segments: Segment[] = [];
  for (let match = segment.exec(field); match !== null; match = segment.exec(field)) {
    const [, name, index, quoted] = match;
    if (name !== undefined) segments.push(name);
    else if (index !== undefined) segments.push(Number(index));
    else if (quoted !== undefined) segments.push(unquoted(quoted));
  }
  return segments;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text; // It has an escape of ours, for an invisible character; no key is like it.
  }
}
