// The reader itself: paths, the treatment of null, bounded findings, harmless text; and the forms of names.

import { describe, expect, test } from "@jest/globals";
import { printable, quote } from "./quote.ts";
import { Field, parseJson, Problems, readAll } from "./reader.ts";
import { isDnsLabel, isDnsSubdomain, isLabelKey, isLabelValue, isPortName } from "./syntax.ts";

const field = (value: unknown) => {
  const problems = new Problems();
  return { problems, root: new Field(problems, "spec", value) };
};

describe("a field", () => {
  test("knows its path", () => {
    const { root } = field({ a: [{ "b/c": 1 }] });
    expect(root.at("a").items()[0]?.at("b/c").path).toBe('spec.a[0]["b/c"]');
    expect(new Field(new Problems(), "", { a: 1 }).at("a").path).toBe("a");
  });

  test("takes null for absent, and nothing from a prototype", () => {
    const { root } = field({ a: null });
    expect([root.at("a").present, root.at("toString").present, root.at("__proto__").present]).toEqual([
      false,
      false,
      false,
    ]);
    expect(["a", "toString", "__proto__"].map((name) => root.has(name))).toEqual([false, false, false]);
    expect(field({ a: 0, b: null }).root.has("a")).toBe(true);
    expect(field([1]).root.has("0")).toBe(false);
    expect(field(parseJson('{"__proto__": 5}')).root.at("__proto__").integer(0, 9)).toBe(5);
  });

  test("reports whatever it cannot read", () => {
    const { root, problems } = field({ s: 1, i: 1.5, l: {}, o: [], b: "true" });
    expect([root.at("s").string(), root.at("i").integer(0, 9), root.at("l").list(0, 9)]).toEqual([
      null,
      null,
      null,
    ]);
    expect([root.at("o").object(), root.at("b").boolean(), root.at("none").string()]).toEqual([
      false,
      null,
      null,
    ]);
    expect(problems.list().map((p) => `${p.field} ${p.message}`)).toEqual([
      "spec.s must be a string, not 1",
      "spec.i must be an integer from 0 to 9, not 1.5",
      "spec.l must be a list, not an object",
      "spec.o must be an object, not a list",
      'spec.b must be true or false, not "true"',
      "spec.none this field is required",
    ]);
  });

  test("children report under the code they are given", () => {
    const { root, problems } = field({ a: 1 });
    expect(readAll([root.coded("InvalidSelector").at("a")], (a) => a.string())).toBeNull();
    expect(problems.list()[0]?.code).toBe("InvalidSelector");
  });
});

test("an error is never crowded out by warnings", () => {
  const { root, problems } = field({});
  for (let i = 0; i < 100; i++) root.warn(`w${i}`);
  root.error("e");
  expect(problems.failed).toBe(true);
  expect(problems.list().map(({ message }) => message)).toEqual([
    "e",
    ...Array.from({ length: 20 }, (_, i) => `w${i}`),
  ]);
});

test("text of a user is harmless when shown", () => {
  expect(quote('a"b\n\u001b\u009b\u202e')).toBe('"a\\"b\\n\\u001b\\u{9b}\\u{202e}"');
  expect(quote("x".repeat(200))).toBe(`"${"x".repeat(80)}"...`);
  expect([null, 1, true, [1], { a: 1 }, undefined].map(quote)).toEqual([
    "null",
    "1",
    "true",
    "a list",
    "an object",
    "nothing",
  ]);
  expect(printable("a\r\nb\u2028", 3)).toBe("a\\u{d}\\u{a}...");
});

test.each([
  [isDnsLabel, ["a", "a-1", "0", "x".repeat(63)], ["", "-a", "a-", "A", "a.b", "x".repeat(64), "a\n"]],
  [isDnsSubdomain, ["a.b-c.d", "x".repeat(253)], ["", "a..b", ".a", "a_b", "x".repeat(254), 'a"']],
  [
    isLabelKey,
    ["a", "A_b.c-d", "x.io/a", `${"x".repeat(253)}/a`],
    ["", "/a", "a/", "a/b/c", "X.io/a", "-a", "x".repeat(64), "a b"],
  ],
  [isLabelValue, ["", "a", "A_b.c", "x".repeat(63)], ["-", "a b", "a&&b", "x".repeat(64), "a\n"]],
  [isPortName, ["http", "a-1", "8a", "x".repeat(15)], ["", "80", "a--b", "-a", "a-", "A", "x".repeat(16)]],
] as const)("%p", (form, good, bad) => {
  for (const text of good) expect([text, form(text)]).toEqual([text, true]);
  for (const text of bad) expect([text, form(text)]).toEqual([text, false]);
});
