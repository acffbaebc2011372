// Finds the line of a field in a manifest's text. Needed only when a problem is shown, so only the text is kept; the
// parsed tree is many times larger and is made again when it has been collected.

import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Document, Node } from "yaml";
import type { YamlTree } from "./yaml-tree.ts";
import { offsetOf, parseTree } from "./yaml-tree.ts";

export type Segment = string | number;

export class Lines {
  readonly #text: string;
  #tree: WeakRef<YamlTree> | null;

  constructor(text: string, tree: YamlTree | null) {
    this.#text = text;
    this.#tree = tree && new WeakRef(tree);
  }

  /** Line of the deepest part of the path that exists in the document; lines count from 1. */
  at(index: number, path: readonly Segment[]): number {
    const tree = this.#tree?.deref() ?? this.#parse();
    const document = tree?.documents[index];
    return tree === null || document === undefined ? 1 : tree.counter.linePos(offsetAt(document, path)).line;
  }

  /** A WeakRef is held until the current job ends, so problems that are shown together share one tree. */
  #parse(): YamlTree | null {
    const tree = parseTree(this.#text);
    if ("message" in tree) return null;
    this.#tree = new WeakRef(tree);
    return tree;
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

function offsetAt(document: Document.Parsed, path: readonly Segment[]): number {
  let node: Node | null = document.contents;
  let offset = offsetOf(node);
  for (const segment of path) {
    const step = stepInto(document, node, segment);
    if (step === null) break;
    offset = step.offset;
    node = step.node;
  }
  return offset;
}

interface Step {
  readonly node: Node | null;
  readonly offset: number;
}

/** For a map, the place of its key: a value may begin on the next line. */
function stepInto(document: Document.Parsed, node: Node | null, segment: Segment): Step | null {
  const target = isAlias(node) ? (node.resolve(document) ?? null) : node;
  if (isSeq<Node>(target)) {
    const item = target.items[Number(segment)];
    return item === undefined ? null : { node: item, offset: offsetOf(item) };
  }
  if (!isMap<Node, Node | null>(target)) return null;
  const pair = target.items.find(({ key }) => isScalar(key) && String(key.value) === segment);
  return pair === undefined ? null : { node: pair.value, offset: offsetOf(pair.key) };
}
