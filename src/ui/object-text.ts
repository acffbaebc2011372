// A policy's object as YAML, by lines, and where its rules are in it. The name and the spec: labels, annotations and status say
// nothing of what is enforced. Pure; the lines of one object are made once.

import { Document, isNode, LineCounter, parseDocument } from "yaml";
import type { PolicyObject } from "../model/object.ts";
import { readNameOf, readVersionOf } from "../model/object.ts";

export interface ObjectText {
  readonly lines: readonly string[];
  /** The lines of a field such as `spec.ingress[2]`, from 1; null: there is none. */
  readonly linesOf: (field: string) => Lines | null;
}

export interface Lines {
  readonly first: number;
  readonly last: number;
}

const made = new WeakMap<PolicyObject, ObjectText>();

export function objectText(object: PolicyObject): ObjectText {
  const known = made.get(object) ?? textOf(object);
  made.set(object, known);
  return known;
}

function textOf(object: PolicyObject): ObjectText {
  const { kind, namespace, spec } = object;
  const name = readNameOf(object);
  const metadata = namespace === null ? { name } : { name, namespace };
  const data = { apiVersion: readVersionOf(object), kind, metadata, spec };
  const text = new Document(data, { aliasDuplicateObjects: false }).toString({ lineWidth: 0 });
  const counter = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: counter });
  const linesOf = (field: string): Lines | null => {
    const node = parsed.getIn(field.match(/[^.[\]]+/g)?.map(segmentOf) ?? [], true);
    if (!isNode(node) || !node.range) return null;
    const [begin, end] = node.range;
    const first = counter.linePos(begin).line;
    return { first, last: Math.max(first, counter.linePos(end - 1).line) };
  };
  return { lines: text.trimEnd().split("\n"), linesOf };
}

function segmentOf(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}
