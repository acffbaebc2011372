// Lines of fields: a JSON text has the lines that it has as YAML, for every path; it is read once; anchors and keys that no path names
// lead to no other line.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import type { Segment } from "./field-lines.ts";
import { linesOfDocument, linesOfJson } from "./field-lines.ts";
import { Lines } from "./lines.ts";
import { parseTree } from "./yaml-tree.ts";

function treeOf(text: string) {
  const tree = parseTree(text);
  if ("message" in tree) throw new Error(tree.message);
  return tree;
}

function pathsOf(value: unknown): readonly (readonly Segment[])[] {
  if (typeof value !== "object" || value === null) return [[]];
  const entries: readonly (readonly [Segment, unknown])[] = Array.isArray(value)
    ? value.map((one, at) => [at, one] as const)
    : Object.entries(value);
  return [[], ...entries.flatMap(([key, one]) => pathsOf(one).map((path) => [key, ...path]))];
}

test("the lines of a JSON text are those that it has as YAML", () => {
  const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => typeof value === "object" && value !== null);
  fc.assert(
    fc.property(json, fc.constantFrom(0, 1, 2, "\t"), (value, indent) => {
      const text = `\n ${JSON.stringify(value, null, indent)}\n`;
      const { documents, counter } = treeOf(text.replaceAll("\t", " "));
      const [own, asYaml] = [linesOfJson(text), linesOfDocument(documents[0]!, counter)];
      for (const path of [...pathsOf(value), ["no such field"], [7]])
        expect([path, own.at(path)]).toEqual([path, asYaml.at(path)]);
    }),
  );
});

test("a JSON text is read once, when the first line is asked for", () => {
  const json = JSON.stringify({ items: [{ a: 1 }, { 'b"\n': [true, null] }] }, null, 1);
  let looks = 0;
  const text = {
    length: json.length,
    charCodeAt: (at: number) => (looks++, json.charCodeAt(at)),
    slice: (from?: number, to?: number) => json.slice(from, to),
  };
  const lines = new Lines(text, null);
  expect(looks).toBe(0);
  expect(lines.at(0, ["items", 1, 'b"\n', 1])).toBe(9);
  const once = looks;
  expect(once).toBeLessThan(2 * json.length);
  expect([lines.at(0, ["items", 0, "a"]), lines.at(0, ["items", 1]), looks]).toEqual([4, 6, once]);
});

test("an alias has the entries of what it names, the last of that name before it", () => {
  const text = `
a: &one
  x: 1
b: *one
c: &one
  - 1
  - *one
&one d: *one
[1, 2]: { e: 3 }
f: { g: *one }
`;
  const tree = treeOf(text);
  const lines = new Lines(text, tree);
  expect(
    [["a", "x"], ["b", "x"], ["b", "y"], ["c", 1], ["c", 1, 0], ["d", "x"], ["e"], ["f", "g"]].map((path) =>
      lines.at(0, path),
    ),
  ).toEqual([3, 3, 4, 7, 6, 8, 2, 10]);
  expect(lines.at(1, [])).toBe(1);
});
