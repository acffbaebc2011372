// Label selectors as kubectl takes them.

import { expect, test } from "@jest/globals";
import { selects } from "../model/selector.ts";
import { NoSelector, parseLabelSelector } from "./label-selector.ts";

const labels = new Map([
  ["app", "web"],
  ["example.com/tier", "front"],
  ["empty", ""],
]);

test.each([
  ["", true],
  ["app=web", true],
  ["app == web", true],
  ["app=db", false],
  ["app!=db", true],
  ["tier!=db", true],
  ["app!=web", false],
  ["app", true],
  ["!app", false],
  ["!tier", true],
  ["app in (web, db)", true],
  ["app notin (web,db)", false],
  ["tier notin (web)", true],
  ["app in (web,db),example.com/tier=front", true],
  ["app in (web,db), !empty", false],
  ["empty=", true],
])("%s", (text, expected) => {
  expect(selects(parseLabelSelector(text), labels)).toBe(expected);
});

test.each([
  "a b",
  "app>1",
  "!app=web",
  "app in web",
  "app=web=db",
  "=web",
  ",",
  "app=a_",
  "-a=b",
  "app in (a_)",
])("%s is refused", (text) => {
  expect(() => parseLabelSelector(text)).toThrow(NoSelector);
});
