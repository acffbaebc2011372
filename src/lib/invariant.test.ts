import { expect, test } from "@jest/globals";
import { invariant } from "./invariant.ts";

test("throws only when the condition does not hold", () => {
  expect(() => {
    invariant(true, "fine");
  }).not.toThrow();
  expect(() => {
    invariant(false, "a thing happened");
  }).toThrow("invariant broken: a thing happened");
});
