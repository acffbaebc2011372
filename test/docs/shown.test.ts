// The comparison of shown and printed text can say no.

import { describe, expect, test } from "@jest/globals";
import { commandsOf } from "./pages.ts";
import { missingLine } from "./shown.ts";

describe("what a page shows", () => {
  test.each([
    ["the same lines", ["a  b", "c"], "a b\nc\n", null],
    ["lines left out in between", ["a", "…", "d"], "a\nb\nc\nd\n", null],
    ["words left out", ["a … d (e)"], "a b c d (e)\n", null],
    ["the end left out", ["a", "…"], "a\nb\n", null],
    ["another word", ["a x"], "a b\n", "a x"],
    ["a line too few", ["a", "b"], "a\n", "b"],
    ["a line more than shown", ["a"], "a\nb\n", "(the end; printed is also: b)"],
    ["a line behind those left out", ["a", "…", "x"], "a\nb\nc\n", "x"],
    ["progress", ["a", "b"], "a\nnorthgate: 0 of 15 kinds of ends are compared\nb\n", null],
    ["what means something in a pattern", ["a.c"], "abc\n", "a.c"],
  ] as const)("%s", (_, shown, printed, missing) => {
    expect(missingLine(shown, printed)).toBe(missing);
  });

  test("is found with its place, its page and its line", () => {
    const text = [
      "```console",
      "$ northgate --help   # all of it",
      "out",
      "```",
      "```console make",
      "$ make",
      "```",
    ];
    expect(commandsOf("x.md", text.join("\n"))).toEqual([
      { at: "x.md:2", place: "", command: "northgate --help", output: ["out"] },
      { at: "x.md:6", place: "make", command: "make", output: [] },
    ]);
    expect(() => commandsOf("x.md", "```console somewhere\n```")).toThrow(/x\.md:1: .*somewhere/);
  });
});
