// Selectors by the labels that Calico adds, under our keys.

import { describe, expect, test } from "@jest/globals";
import { folded, nothing } from "../../model/selectors/folding.ts";
import type { Requirement, Selector } from "../../model/selector.ts";
import { everything, requirements, selects } from "../../model/selector.ts";
import { namespaceSelector, networkSetLabels, podSelector, serviceAccountLabels } from "./keys.ts";
import { parseSelector } from "./parse.ts";

function parsed(text: string): Selector {
  const read = parseSelector(text);
  if ("message" in read) throw new Error(read.message);
  return read.selector;
}

const isIn = (key: string, ...values: string[]) => folded({ operator: "In", key, values });
const long = "s".repeat(63);

describe("selectors of pods", () => {
  test.each<[string, Selector]>([
    ["projectcalico.org/namespace == 'a'", isIn("#namespace", "a")],
    ["has(projectcalico.org/namespace)", everything],
    ["!has(projectcalico.org/namespace)", nothing],
    [
      "projectcalico.org/namespace starts with 'a'",
      folded({ operator: "StartsWith", key: "#namespace", text: "a" }),
    ],
    ["projectcalico.org/serviceaccount in {'a', 'b'}", isIn("#serviceAccount", "a", "b")],
    [
      "projectcalico.org/serviceaccount != 'a'",
      folded({ operator: "NotIn", key: "#serviceAccount", values: ["a"] }),
    ],
    [`projectcalico.org/serviceaccount == '${long}'`, nothing],
    [
      `projectcalico.org/serviceaccount in {'${long}', '${long.slice(1)}'}`,
      isIn("#serviceAccount", long.slice(1)),
    ],
    ["projectcalico.org/orchestrator == 'k8s'", everything],
    ["projectcalico.org/orchestrator != 'k8s' || app == 'x'", isIn("app", "x")],
    ["has(projectcalico.org/orchestrator) && app == 'x'", isIn("app", "x")],
    ["projectcalico.org/orchestrator contains '9'", nothing],
    // A label that pods have no more than other labels.
    ["projectcalico.org/name == 'x'", isIn("projectcalico.org/name", "x")],
  ])("%s", (text, expected) => {
    expect(podSelector(parsed(text), () => [])).toEqual(expected);
  });

  const notLong: Requirement = { operator: "NotIn", key: "#serviceAccount", values: [long] };
  test.each<[string, Selector]>([
    ["has(projectcalico.org/serviceaccount)", folded(notLong)],
    ["!has(projectcalico.org/serviceaccount)", isIn("#serviceAccount", long)],
    [
      "projectcalico.org/serviceaccount ends with 's'",
      requirements([notLong, { operator: "EndsWith", key: "#serviceAccount", text: "s" }]),
    ],
    [
      "projectcalico.org/serviceaccount != 'a'",
      folded({ operator: "NotIn", key: "#serviceAccount", values: ["a"] }),
    ],
  ])("with an account whose name is no label, %s", (text, expected) => {
    expect(podSelector(parsed(text), () => [long])).toEqual(expected);
  });
});

describe("selectors of namespaces", () => {
  test.each<[string, Selector]>([
    ["projectcalico.org/name in {'a', 'b'}", isIn("#name", "a", "b")],
    ["has(projectcalico.org/name)", everything],
    ["projectcalico.org/name contains 'a'", folded({ operator: "Contains", key: "#name", text: "a" })],
    ["projectcalico.org/namespace == 'a'", isIn("projectcalico.org/namespace", "a")],
  ])("%s", (text, expected) => {
    expect(namespaceSelector(parsed(text))).toEqual(expected);
  });
});

test("service accounts and network sets have labels beside their own, which win", () => {
  const own = new Map([
    ["team", "a"],
    ["projectcalico.org/name", "other"],
    ["projectcalico.org/namespace", "other"],
  ]);
  const asked = (text: string, labels: ReadonlyMap<string, string>) => selects(parsed(text), labels);
  const account = serviceAccountLabels("robot", own);
  expect(asked("team == 'a' && projectcalico.org/name == 'robot'", account)).toBe(true);
  const set = networkSetLabels("shop", own);
  expect(asked("team == 'a' && projectcalico.org/namespace == 'shop'", set)).toBe(true);
  expect(networkSetLabels(null, own)).toBe(own);
});
