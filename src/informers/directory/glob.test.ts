// Patterns of paths to leave out.

import { expect, test } from "@jest/globals";
import { ignoring } from "./glob.ts";

test.each([
  ["*.test.yaml", "a/b/x.test.yaml", true],
  ["*.test.yaml", "x.yaml", false],
  ["ci", "ci/a.yaml", true],
  ["ci/", "deep/ci/a.yaml", true],
  ["ci", "circus/a.yaml", false],
  ["ci/**", "ci/deep/a.yaml", true],
  ["ci/*", "ci/a.yaml", true],
  ["ci/*", "other/ci/a.yaml", false],
  ["**/ci/*.yaml", "ci/a.yaml", true],
  ["**/ci/*.yaml", "x/y/ci/a.yaml", true],
  ["/docs/a.yaml", "docs/a.yaml", true],
  ["./docs/a.yaml", "docs/a.yaml", true],
  ["docs/a.yaml", "x/docs/a.yaml", false],
  ["a?.yaml", "ab.yaml", true],
  ["a?.yaml", "a/.yaml", false],
  ["a.yaml", "axyaml", false],
  ["(a+[b", "(a+[b", true],
])("%s and %s", (pattern, path, expected) => {
  expect(ignoring([pattern])(path)).toBe(expected);
});

test("any of several, and none of none", () => {
  const ignores = ignoring(["*.json", "ci/**"]);
  expect(["a.json", "ci/x", "b.yaml"].map(ignores)).toEqual([true, true, false]);
  expect(ignoring([])("a.yaml")).toBe(false);
});
