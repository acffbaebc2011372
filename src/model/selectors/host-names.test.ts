// Patterns of host names as selectors: each is held against the plain meaning of `*`, or there is no selector.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { hostName } from "../../../test/support/facts.ts";
import { hostNamesLike } from "./host-names.ts";
import { hostNameLabels } from "../selectable.ts";
import { selects } from "../selector.ts";

function isLike(pattern: string, name: string): boolean | null {
  const names = hostNamesLike(pattern);
  return names && selects(names, hostNameLabels(hostName(name)));
}

test.each<readonly [string, readonly string[], readonly string[]]>([
  ["www.example.org", ["www.example.org"], ["example.org", "a.www.example.org"]],
  ["WWW.Example.org.", ["www.example.org"], ["www.example.com"]],
  ["*.example.org", ["www.example.org", "a.b.example.org"], ["example.org", "notexample.org"]],
  ["*example.org", ["example.org", "notexample.org"], ["example.com"]],
  ["api-*", ["api-1.example.org", "api-"], ["api.example.org"]],
  ["api-*.example.org", ["api-1.example.org", "api-1.b.example.org"], ["api-example.org"]],
  ["*", ["example.org", "localhost"], []],
])("%s", (pattern, matched, others) => {
  expect(matched.map((name) => isLike(pattern, name))).toEqual(matched.map(() => true));
  expect(others.map((name) => isLike(pattern, name))).toEqual(others.map(() => false));
});

test("of patterns that no selector says there is none", () => {
  expect(["*.*.org", "ab*ba", "api.*.example.org"].map(hostNamesLike)).toEqual([null, null, null]);
});

test("a selector matches what the pattern matches, whatever both are", () => {
  const text = (of: readonly string[]) =>
    fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
  let judged = 0;
  fc.assert(
    fc.property(text(["a", "b", ".", "*"]), text(["a", "b", "."]), (pattern, name) => {
      const found = isLike(pattern, name.replace(/\.$/, ""));
      if (found === null) return;
      judged++;
      const parts = pattern.replace(/\.$/, "").split("*");
      const meant = new RegExp(`^${parts.map((part) => part.replaceAll(".", String.raw`\.`)).join(".*")}$`);
      expect(found).toBe(meant.test(name.replace(/\.$/, "")));
    }),
    { numRuns: 2000 },
  );
  expect(judged).toBeGreaterThan(300);
});
