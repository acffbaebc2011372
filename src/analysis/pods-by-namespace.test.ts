// Every pod is looked at once, when the first namespace is asked for.

import { expect, test } from "@jest/globals";
import { pod } from "../../test/support/facts.ts";
import { PodsByNamespace } from "./pods-by-namespace.ts";

test("pods are looked at once, however many namespaces are asked for", () => {
  const pods = [pod("a", "one", {}), pod("b", "two", {}), pod("a", "three", {})];
  let looks = 0;
  const of = new PodsByNamespace({
    values: () => {
      looks++;
      return pods;
    },
  });
  expect(looks).toBe(0);
  expect(["a", "b", "none"].map((name) => of.of(name).map((one) => one.name))).toEqual([
    ["one", "three"],
    ["two"],
    [],
  ]);
  expect(looks).toBe(1);
});
