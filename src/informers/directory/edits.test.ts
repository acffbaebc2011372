// Changes of a manifest's text: exactly the bytes that are meant, in every way to write a list or a map; and what is refused.

import { describe, expect, test } from "@jest/globals";
import type { FieldEdit } from "../../model/objects/field-edit.ts";
import { editedText } from "./edits.ts";

const head = (spec: string, name = "p"): string =>
  `kind: Policy\nmetadata: { name: ${name} }\nspec:\n${spec}`;
const object = { kind: "Policy", namespace: null, name: "p" };
const remove = (from: string): FieldEdit => ({ op: "removeItem", from, beside: ["except"] });

function edit(text: string, ...edits: readonly (readonly [string, FieldEdit])[]): string {
  const done = editedText(
    text,
    edits.map(([field, one]) => ({ object, field, edit: one })),
  );
  return "refused" in done ? `refused: ${done.refused}` : done.text;
}

describe("a text", () => {
  const replace: FieldEdit = { op: "replace", from: "10.0.54.0/19", to: "10.0.32.0/19" };
  // prettier-ignore
  test.each([
    ["plain", "  nets: [10.0.54.0/19, a] # why\n", "  nets: [10.0.32.0/19, a] # why\n"],
    ["double-quoted", '  nets:\n    - "10.0.54.0/19"   # why\n', '  nets:\n    - "10.0.32.0/19"   # why\n'],
    ["single-quoted", "  nets: ['10.0.54.0/19']", "  nets: ['10.0.32.0/19']"],
    ["with Windows' line ends", "  nets:\r\n  - 10.0.54.0/19\r\n  - b\r\n", "  nets:\r\n  - 10.0.32.0/19\r\n  - b\r\n"],
  ])("%s is replaced as it is quoted", (_, before, after) => {
    expect(edit(head(before), ["spec.nets[0]", replace])).toBe(head(after));
  });

  test("that is another, on several lines, or an alias is refused", () => {
    expect(edit(head("  nets: [10.0.0.0/19]"), ["spec.nets[0]", replace])).toBe(
      'refused: spec.nets.0 is not written as one text "10.0.54.0/19" on one line',
    );
    expect(edit(head("  nets:\n    - |-\n      10.0.54.0/19\n"), ["spec.nets[0]", replace])).toMatch(
      /^refused: /,
    );
    expect(edit(head("  a: &a 10.0.54.0/19\n  nets: [*a]"), ["spec.nets[0]", replace])).toBe(
      "refused: it has aliases, so a change may be one of several places",
    );
    expect(edit(head("  nets: {}"), ["spec.nets[0]", replace])).toBe(
      "refused: spec.nets[0] is not written in it",
    );
  });

  test("that plain YAML would take for something else is refused", () => {
    const to = (text: string): FieldEdit => ({ op: "replace", from: "a", to: text });
    expect(edit(head("  x: a"), ["spec.x", to("b: c")])).toMatch(/^refused: /);
    expect(edit(head("  x: a"), ["spec.x", to("b #c")])).toMatch(/^refused: /);
    expect(edit(head("  x: a"), ["spec.x", to("1")])).toMatch(/^refused: /);
    expect(edit(head("  x: 'a'"), ["spec.x", to("it's: 1")])).toBe(head("  x: 'it''s: 1'"));
  });
});

describe("an item of a list", () => {
  // prettier-ignore
  const cases: [string, string, string[], string][] = [
    ["of a block, with its line", "  nets:\n    # first\n    - a\n    - b # two\n    - c\n", ["spec.nets[1]:b"], "  nets:\n    # first\n    - a\n    - c\n"],
    ["the last of a block", "  nets:\n  - a\n  - b\nrest: 1\n", ["spec.nets[1]:b"], "  nets:\n  - a\nrest: 1\n"],
    ["at the end of the text, without a line end", "  nets:\n  - a\n  - b", ["spec.nets[1]:b"], "  nets:\n  - a\n"],
    ["the first of a flow", "  nets: [a, b, c]\n", ["spec.nets[0]:a"], "  nets: [b, c]\n"],
    ["the middle of a flow", "  nets: [a, b, c]\n", ["spec.nets[1]:b"], "  nets: [a, c]\n"],
    ["the last of a flow", "  nets: [a, b, c]\n", ["spec.nets[2]:c"], "  nets: [a, b]\n"],
    ["two of a flow", "  nets: [a, b, c]\n", ["spec.nets[0]:a", "spec.nets[1]:b"], "  nets: [c]\n"],
    ["two of a flow, with spaces of their own", "  nets: [a,   b, c]\n", ["spec.nets[0]:a", "spec.nets[1]:b"], "  nets: [c]\n"],
    ["two of a flow, around one", "  nets: [a, b, c]\n", ["spec.nets[0]:a", "spec.nets[2]:c"], "  nets: [b]\n"],
    ["two at the end of a flow", "  nets: [a, b, c]\n", ["spec.nets[2]:c", "spec.nets[1]:b"], "  nets: [a]\n"],
    ["what holds it alone", "  to:\n    - ipBlock:\n        cidr: a\n        except:\n          - x\n    - ipBlock: { cidr: b }\n", ["spec.to[0].ipBlock.cidr:a"], "  to:\n    - ipBlock: { cidr: b }\n"],
    ["what holds it alone, in a flow", "  to: [{ ipBlock: { cidr: a } }, { ipBlock: { cidr: b } }]\n", ["spec.to[1].ipBlock.cidr:b"], "  to: [{ ipBlock: { cidr: a } }]\n"],
    ["a list that would be empty", "  to:\n    - nets: [a]\n    - nets: [b, c]\n", ["spec.to[0].nets[0]:a", "spec.to[1].nets[1]:c"], "  to:\n    - nets: [b]\n"],
    ["all items of one of several lists", "  to:\n    - nets: [a, b]\n    - nets: [c]\n", ["spec.to[0].nets[0]:a", "spec.to[0].nets[1]:b"], "  to:\n    - nets: [c]\n"],
  ];
  test.each(cases)("%s", (_, before, fields, after) => {
    const edits = fields.map((one) => {
      const [field = "", from = ""] = one.split(":");
      return [field, remove(from)] as const;
    });
    expect(edit(head(before), ...edits)).toBe(head(after));
  });

  // prettier-ignore
  test.each([
    ["that is the only one", "  nets: [a]\n", "spec.nets[0]"],
    ["beside something else", "  to:\n    - { nets: [a], pods: {} }\n    - {}\n", "spec.to[0].nets[0]"],
    ["in a list of lists", "  nets:\n    - - a\n      - b\n", "spec.nets[0][0]"],
    ["with a comment before its comma", "  nets: [a # one\n    , b]\n", "spec.nets[0]"],
    ["with an anchor", "  nets:\n    - &one a\n    - b\n", "spec.nets[0]"],
  ])("is refused: %s", (_, spec, field) => {
    expect(edit(head(spec), [field, remove("a")])).toMatch(/^refused: /);
  });
});

describe("a field", () => {
  const removeField: FieldEdit = { op: "removeField", from: "x" };
  const of = (metadata: string): string => `kind: Policy\nmetadata:${metadata}spec: {}\n`;
  // prettier-ignore
  test.each([
    ["with its line", "\n  name: p\n  annotations:\n    a/b: x # why\n    c: y\n", "\n  name: p\n  annotations:\n    c: y\n"],
    ["and the map that has nothing left", "\n  annotations:\n    a/b: x\n  name: p\n", "\n  name: p\n"],
    ["of a flow", " { name: p, annotations: { c: y, a/b: x } }\n", " { name: p, annotations: { c: y } }\n"],
    ["and a flow that has nothing left", " { annotations: { a/b: x }, name: p }\n", " { name: p }\n"],
  ])("%s", (_, before, after) => {
    expect(edit(of(before), ['metadata.annotations["a/b"]', removeField])).toBe(of(after));
  });
});

describe("the object", () => {
  const text = [head("  nets: [a, b]\n", "other"), head("  nets: [a, b]\n")].join("---\n");
  const inList = `apiVersion: v1\nkind: List\nitems:\n  - kind: Policy\n    metadata: { name: p }\n    spec: { nets: [a, b] }\n`;

  test("is found among the documents, and in a list of a dump", () => {
    expect(edit(text, ["spec.nets[0]", remove("a")])).toBe(
      [head("  nets: [a, b]\n", "other"), head("  nets: [b]\n")].join("---\n"),
    );
    expect(edit(inList, ["spec.nets[0]", remove("a")])).toBe(inList.replace("[a, b]", "[b]"));
    const json = `{"kind": "Policy", "metadata": {"name": "p"}, "spec": {"nets": ["a", "b"]}}`;
    expect(edit(json, ["spec.nets[0]", remove("a")])).toBe(json.replace('"a", ', ""));
  });

  test("that is not there once is refused, and so is a text that cannot be read", () => {
    expect(edit(text.replace("name: p", "name: q"), ["spec.nets[0]", remove("a")])).toBe(
      "refused: Policy p is in it 0 times",
    );
    expect(edit(`${text}---\n${text}`, ["spec.nets[0]", remove("a")])).toBe(
      "refused: Policy p is in it 2 times",
    );
    expect(edit("a: [", ["spec.nets[0]", remove("a")])).toMatch(/^refused: it cannot be read: /);
  });
});
