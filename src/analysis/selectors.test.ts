// Requirements in words.

import { expect, test } from "@jest/globals";
import type { Requirement } from "../model/selector.ts";
import { requirements } from "../model/selector.ts";
import { selectorText, unmetBy } from "./selectors.ts";

test.each<readonly [string, Requirement]>([
  ["app=web", { operator: "In", key: "app", values: ["web"] }],
  ["app not in (a, b)", { operator: "NotIn", key: "app", values: ["a", "b"] }],
  ["label app", { operator: "Exists", key: "app" }],
  ["no label app", { operator: "DoesNotExist", key: "app" }],
  ['app contains "x"', { operator: "Contains", key: "app", text: "x" }],
  ['app starts with "x"', { operator: "StartsWith", key: "app", text: "x" }],
  ['service account ends with "x\\u001b"', { operator: "EndsWith", key: "#serviceAccount", text: "x\u001b" }],
])("%s", (text, requirement) => {
  expect(selectorText(requirements([requirement]))).toBe(text);
});

test("what fails is told with the value that is there", () => {
  const selector = requirements([{ operator: "StartsWith", key: "app", text: "x" }]);
  expect(unmetBy(selector, new Map([["app", "web"]]))).toEqual({ wanted: 'app starts with "x"', has: "web" });
  expect(unmetBy(selector, new Map())).toEqual({ wanted: 'app starts with "x"', has: "none" });
});
