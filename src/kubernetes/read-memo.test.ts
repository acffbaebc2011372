// What the memo may and may not remember; work is counted in reads.

import { expect, test } from "@jest/globals";
import { Field, Problems } from "../model/reader.ts";
import type { Rule } from "../policy/ir.ts";
import { ReadMemo } from "./read-memo.ts";

const rule: Omit<Rule, "index"> = {
  ...{ share: null, name: "", action: "allow", subject: null, peers: [], ports: null, logging: null },
};

function setup(say: (field: Field) => void = () => undefined) {
  const memo = new ReadMemo<Rule>();
  let reads = 0;
  const read = (raw: unknown, index: number) => {
    const problems = new Problems();
    const result = memo.read(new Field(problems, `spec.ingress[${index}]`, raw), index, (field) => {
      reads++;
      say(field);
      return { ...rule, index };
    });
    return { result, problems: problems.list() };
  };
  return { read, reads: () => reads };
}

test("the same raw object in the same place is read once, and its rule is one object", () => {
  const { read, reads } = setup();
  const raw = { action: "Allow" };
  expect(read(raw, 3).result).toBe(read(raw, 3).result);
  expect(reads()).toBe(1);
});

test("in another place it is another rule, and an equal object is another object", () => {
  const { read, reads } = setup();
  const raw = { action: "Allow" };
  expect(read(raw, 3).result?.index).toBe(3);
  expect(read(raw, 4).result?.index).toBe(4);
  expect(read({ ...raw }, 4).result?.index).toBe(4);
  expect(reads()).toBe(3);
});

test("in another namespace it is another rule", () => {
  const memo = new ReadMemo<string>();
  const raw = {};
  const readIn = (namespace: string) =>
    memo.read(new Field(new Problems(), "spec", raw), 0, () => `of ${namespace}`, namespace);
  expect([readIn("red"), readIn("blue"), readIn("red")]).toEqual(["of red", "of blue", "of red"]);
});

test("a result with parts that are still to be reported is read every time", () => {
  const memo = new ReadMemo<readonly string[]>((result) => result.length > 0);
  const raw = {};
  let reads = 0;
  const readAs = (result: readonly string[]) =>
    memo.read(new Field(new Problems(), "spec", raw), 0, () => {
      reads++;
      return result;
    });
  readAs([]);
  expect(readAs(["whole"])).toEqual(["whole"]);
  expect(readAs([])).toEqual(["whole"]);
  expect(reads).toBe(2);
});

test("a rule with findings says them every time", () => {
  const { read, reads } = setup((field) => {
    field.warn("is odd");
  });
  const raw = { action: "Allow" };
  expect(read(raw, 0).problems).toHaveLength(1);
  expect(read(raw, 0).problems).toHaveLength(1);
  expect(reads()).toBe(2);
});

test("findings that are too many to be shown count too", () => {
  const memo = new ReadMemo<Rule>();
  const raw = { action: "Allow" };
  const problems = new Problems();
  for (let n = 0; n < 30; n++)
    problems.add({ code: "InvalidField", severity: "warning", field: "", message: "" });
  const warning = (field: Field, index: number): Rule => {
    field.warn("is odd");
    return { ...rule, index };
  };
  memo.read(new Field(problems, "spec.ingress[0]", raw), 0, warning);
  const later = new Problems();
  memo.read(new Field(later, "spec.ingress[0]", raw), 0, warning);
  expect(later.list()).toHaveLength(1);
});

test("what is no object is read as it is", () => {
  const { read, reads } = setup();
  for (const raw of [null, "text", undefined]) read(raw, 0);
  expect(reads()).toBe(3);
});
