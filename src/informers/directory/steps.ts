// The way from an object to one of its fields in a parsed text: every node on it, with what holds it.

import type { Node, Pair } from "yaml";
import { isMap, isScalar, isSeq } from "yaml";
import type { Segment } from "./lines.ts";

export interface Step {
  readonly node: Node | null;
  /** From the number of the document. */
  readonly path: readonly Segment[];
  /** null: it is the object of a document. */
  readonly parent: Step | null;
  /** Of a map's field, the node of its name; null: of a list, or of nothing. */
  readonly key: Node | null;
}

/** From the root on, which is the first of them; null: there is no such field. */
export function stepsTo(root: Step, segments: readonly Segment[]): readonly Step[] | null {
  const steps = [root];
  let current = root;
  for (const segment of segments) {
    const next = stepInto(current, segment);
    if (next === null) return null;
    steps.push(next);
    current = next;
  }
  return steps;
}

function stepInto(parent: Step, segment: Segment): Step | null {
  const { node } = parent;
  if (isSeq<Node>(node)) {
    const item = node.items[Number(segment)];
    return item === undefined
      ? null
      : { node: item, path: [...parent.path, Number(segment)], parent, key: null };
  }
  if (!isMap<Node, Node | null>(node)) return null;
  const pair = pairOf(node.items, segment);
  return pair === undefined
    ? null
    : { node: pair.value, path: [...parent.path, String(segment)], parent, key: pair.key };
}

function pairOf(
  items: readonly Pair<Node, Node | null>[],
  segment: Segment,
): Pair<Node, Node | null> | undefined {
  return items.find(({ key }) => isScalar(key) && String(key.value) === String(segment));
}
