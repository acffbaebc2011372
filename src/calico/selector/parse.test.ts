// The grammar of selectors: cases of each rule, random selectors in many spellings against an evaluator of their own, and garbage.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { everything, selects } from "../../model/selector.ts";
import { nothing } from "../../model/selectors/folding.ts";
import { parseSelector } from "./parse.ts";
import { labelMaps, meaning, selectorTree, spelled } from "../../../test/support/calico-selectors.ts";

function selectorOf(text: string) {
  const parsed = parseSelector(text);
  if ("message" in parsed) throw new Error(`${text}: ${parsed.message}`);
  return parsed.selector;
}

const holds = (text: string, labels: Record<string, string>): boolean =>
  selects(selectorOf(text), new Map(Object.entries(labels)));

describe("the meaning", () => {
  test.each<[string, boolean, boolean, boolean]>([
    // a=x, a=xy, no label at all
    ["a == 'x'", true, false, false],
    ['a=="x"', true, false, false],
    ["a != 'x'", false, true, true],
    ["a in {'x','xy'}", true, true, false],
    ["a in {'x', }", true, false, false],
    ["a in{}", false, false, false],
    ["a not in {'x'}", false, true, true],
    ["a notin {'x'}", false, true, true],
    ["a not\t in {'x'}", false, true, true],
    ["a not in {}", true, true, true],
    ["a contains 'y'", false, true, false],
    ["a contains''", true, true, false],
    ["a starts with 'x'", true, true, false],
    ["a startswith 'x'", true, true, false],
    ["a starts \t with'xy'", false, true, false],
    ["a ends with 'y'", false, true, false],
    ["a endswith 'y'", false, true, false],
    ["has(a)", true, true, false],
    ["has(\ta )", true, true, false],
    ["!has(a)", false, false, true],
    ["!!has(a)", true, true, false],
    ["! ! !has(a)", false, false, true],
    ["all()", true, true, true],
    ["all(\t )", true, true, true],
    ["!all()", false, false, false],
    ["", true, true, true],
    [" \t", true, true, true],
    ["!a == 'x' && b == 'y'", false, false, false],
    ["!a == 'x' || b == 'y'", false, true, true],
    ["a == 'x' || has(a) && a == 'z'", true, false, false],
    ["(a == 'x' || has(a)) && a == 'xy'", false, true, false],
    ["((a == 'x'))", true, false, false],
    ["!(a == 'x' || a == 'xy')", false, false, true],
  ])("of %s", (text, x, xy, none) => {
    expect(holds(text, { a: "x" })).toBe(x);
    expect(holds(text, { a: "xy" })).toBe(xy);
    expect(holds(text, {})).toBe(none);
  });

  test("a string holds quotes of the other kind, and no escapes", () => {
    expect(holds(`a == '"'`, { a: '"' })).toBe(true);
    expect(holds(`a == "it's"`, { a: "it's" })).toBe(true);
    expect(holds(String.raw`a == '\'`, { a: "\\" })).toBe(true);
    expect(holds("a == '\u00e4\n'", { a: "\u00e4\n" })).toBe(true);
  });

  test.each([
    "in",
    "not",
    "has",
    "all",
    "global",
    "contains",
    "starts",
    "with",
    "notin",
    "a/b.c_d-E",
    "1",
    "-",
  ])("a label may be called %s", (label) => {
    for (const text of [`${label} == 'x'`, `has(${label})`, `${label} in {'x'}`, `${label} contains 'x'`])
      expect(holds(text, { [label]: "x" })).toBe(true);
  });

  test("labels directly before operators that are letters", () => {
    expect(holds("in in {'x'}", { in: "x" })).toBe(true);
    expect(holds("in not in {'x'}", { in: "x" })).toBe(false);
    expect(holds("has contains'x'", { has: "x" })).toBe(true);
    expect(holds("all == 'x' && all()", { all: "x" })).toBe(true);
  });

  test("spellings of one selector have one text", () => {
    const one = selectorOf("a == 'x' && has(b)").text;
    expect(selectorOf('( has( b )&&a=="x" )').text).toBe(one);
    expect(selectorOf("a == 'x' || a == 'y'").text).toBe(selectorOf("a in {'y', 'x'}").text);
    expect(selectorOf("a in {}").text).toBe(nothing.text);
    expect(selectorOf("!(a in {})").text).toBe(everything.text);
  });
});

describe("global()", () => {
  test.each([
    ["global()", "alone"],
    [" global(\t)", "alone"],
    ["((global()))", "alone"],
    ["!!global()", "alone"],
    ["!global()", "inside"],
    ["!(!global())", "inside"],
    ["global() || global()", "inside"],
    ["global() && all()", "inside"],
    ["has(a) || global()", "inside"],
    ["global == 'x'", "none"],
    ["has(global)", "none"],
    ["all()", "none"],
    ["", "none"],
  ])("in %s is %s", (text, expected) => {
    expect(parseSelector(text)).toMatchObject({ global: expected });
  });
});

describe("all()", () => {
  test.each([
    ["all()", true],
    [" (all( ))", true],
    ["all() && all()", false],
    ["!!(a not in {})", false],
    ["a not in {}", false],
    ["has(all)", false],
    ["", false],
  ])("is the whole of %j: %j", (text, expected) => {
    expect(parseSelector(text)).toMatchObject({ isAll: expected });
  });
});

describe("what is refused, with the place", () => {
  // prettier-ignore
  test.each([
    ["a = 'x'", '"=" must be "==" at character 3'],
    ["a === 'x'", '"=" must be "==" at character 5'],
    ["has(a) & has(b)", '"&" must be "&&" at character 8'],
    ["has(a) | has(b)", '"|" must be "||" at character 8'],
    ["'x' == a", 'a label, has(), all() or "(" must stand here, found a string at character 1'],
    ["a", "an operator must follow the label, found the end at character 2"],
    ["a b == 'x'", "an operator must follow the label; it is missing at character 3"],
    ["a inx {'x'}", "an operator must follow the label; it is missing at character 3"],
    ["a starts 'x'", "an operator must follow the label; it is missing at character 3"],
    ["a containsx 'x'", "an operator must follow the label; it is missing at character 3"],
    ["a has(b)", "an operator must follow the label; it is missing at character 3"],
    ["a ('x')", 'an operator must follow the label, found "(" at character 3'],
    ["a == x", "a string in quotes must follow the operator, found a label at character 6"],
    ["a == ", "a string in quotes must follow the operator, found the end at character 6"],
    ["a == {'x'}", 'a string in quotes must follow the operator, found "{" at character 6'],
    ["a in 'x'", "a set in braces must follow the operator, found a string at character 6"],
    ["a in {'x' 'y'}", '"," or "}" must follow, found a string at character 11'],
    ["a in {'x',,}", 'a string in quotes or "}" must stand here, found "," at character 11'],
    ["a in {,}", 'a string in quotes or "}" must stand here, found "," at character 7'],
    ["a in {'x'", '"," or "}" must follow, found the end at character 10'],
    ["a in {x}", 'a string in quotes or "}" must stand here, found a label at character 7'],
    ["()", 'a label, has(), all() or "(" must stand here, found ")" at character 2'],
    ["has()", "has() needs the name of a label at character 5"],
    ["has('a')", "has() needs the name of a label at character 5"],
    ["has(a b)", 'the ")" of has() is missing at character 7'],
    ["all(a)", 'the ")" of all() is missing at character 5'],
    ["global(", 'the ")" of global() is missing at character 8'],
    ["has (a)", 'an operator must follow the label, found "(" at character 5'],
    ["all ()", 'an operator must follow the label, found "(" at character 5'],
    ["a == 'x", "the string does not end; it begins at character 6"],
    ['a == "x', "the string does not end; it begins at character 6"],
    ["(a == 'x'", "the bracket does not end; it begins at character 1"],
    ["(has(a)) && (has(b)", "the bracket does not end; it begins at character 13"],
    ["a == 'x')", 'there is no "(" for the ")" at character 9'],
    ["has(a) has(b)", '"&&" or "||" must follow, found has() at character 8'],
    ["has(a) !has(b)", '"&&" or "||" must follow, found "!" at character 8'],
    ["has(a) &&", 'a label, has(), all() or "(" must stand here, found the end at character 10'],
    ["|| has(a)", 'a label, has(), all() or "(" must stand here, found "||" at character 1'],
    ["!", 'a label, has(), all() or "(" must stand here, found the end at character 2'],
    ["a ! 'x'", 'an operator must follow the label, found "!" at character 3'],
    ["has(a)\n", String.raw`"\n" is not allowed at character 7`],
    ["\u00e4 == 'x'", '"\u00e4" is not allowed at character 1'],
    ["a\u00a0== 'x'", "an operator must follow the label; it is missing at character 2"],
    ["has(a) && \u{1f600}", '"\u{1f600}" is not allowed at character 11'],
    ["$a == 'x'", '"$" is not allowed at character 1'],
  ])("%s", (text, message) => {
    const parsed = parseSelector(text);
    expect(parsed).toEqual({ message });
  });

  test("a name of 513 characters, in both places", () => {
    for (const [before, after, at] of [
      ["", " == 'x'", 1],
      ["has(", ")", 5],
    ] as const) {
      expect(parseSelector(`${before}${"a".repeat(512)}${after}`)).toMatchObject({ global: "none" });
      expect(parseSelector(`${before}${"a".repeat(513)}${after}`)).toEqual({
        message: `the name of the label is longer than 512 characters at character ${at}`,
      });
    }
  });

  test("brackets deeper than 200, and no other depth", () => {
    const nested = (depth: number, open: string) => `${open.repeat(depth)}has(a)${")".repeat(depth)}`;
    expect(parseSelector(nested(200, "("))).toMatchObject({ global: "none" });
    expect(parseSelector(nested(201, "("))).toEqual({
      message: "brackets are nested deeper than 200 at character 201",
    });
    expect(parseSelector(nested(100_000, "!("))).toEqual({
      message: "brackets are nested deeper than 200 at character 402",
    });
    expect(holds(`${"!".repeat(100_001)}has(a)`, {})).toBe(true);
    expect(holds(nested(200, "has(b) || !("), { b: "x" })).toBe(true);
  });
});

test("random selectors select, in every spelling, what they mean", () => {
  let selected = 0;
  fc.assert(
    fc.property(selectorTree, fc.infiniteStream(fc.nat({ max: 59 })), (tree, choices) => {
      const text = spelled(tree, (ways) => Number(choices.next().value) % ways);
      const selector = selectorOf(text);
      for (const labels of labelMaps) {
        const wanted = meaning(tree, labels);
        if (wanted) selected++;
        expect({ text, labels, selects: selects(selector, labels) }).toEqual({
          text,
          labels,
          selects: wanted,
        });
      }
    }),
    { numRuns: 1000 },
  );
  expect(selected).toBeGreaterThan(1000);
});

test("garbage has an answer, whose place is in the text", () => {
  const piece = fc.constantFrom(
    ...[
      "a",
      "has(",
      "all(",
      "global()",
      "(",
      ")",
      "{",
      "}",
      ",",
      "!",
      "&&",
      "||",
      "==",
      "!=",
      "in",
      "not",
      "in",
    ],
    ...[
      "contains",
      "starts",
      "with",
      "ends with",
      "'",
      '"',
      "'x'",
      " ",
      "\t",
      "\n",
      "=",
      "&",
      "\u00e4",
      "\ud800",
    ],
  );
  let [good, bad] = [0, 0];
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((all) => all.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(text, (input) => {
      const parsed = parseSelector(input);
      if ("message" in parsed) {
        bad++;
        const [, at = "none"] = /at character (\d+)$/.exec(parsed.message) ?? [];
        expect(Number(at)).toBeGreaterThanOrEqual(1);
        expect(Number(at)).toBeLessThanOrEqual(input.length + 1);
      } else good++;
    }),
    { numRuns: 5000 },
  );
  expect(Math.min(good, bad)).toBeGreaterThan(50);
});

test("a long text is no harder than a short one", () => {
  for (const part of ["!", " ", "'", "a", "has(a)&&", "((", "a in {'x',", "a not", "starts ", "has(b)||!"])
    expect(parseSelector(part.repeat(50_000))).toBeDefined();
});
