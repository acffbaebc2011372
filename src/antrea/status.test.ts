// What owners of Antrea's objects are told, word by word: the values beside a policy's condition, and whether a group's
// members are computed. A group is judged by itself, whether a policy names it or not.

import { expect, test } from "@jest/globals";
import { clusterGroup, group, resolving, tier } from "../../test/support/antrea.ts";
import type { ReferencedObject } from "../model/object.ts";
import type { Realization, ReferenceStatus } from "../policy/contracts/dialect.ts";
import { mistakesIn } from "../policy/contracts/dialect.ts";
import { groupStatus } from "./group-status.ts";
import { tierStatus } from "./tier-status.ts";
import { conditions } from "./words.ts";

test.each<[Realization, boolean, string, number]>([
  ["realized", true, "Realized", 3],
  ["underWay", true, "Realizing", 0],
  ["partly", false, "Pending", 0],
  ["refused", false, "Pending", 0],
  ["failed", false, "Failed", 0],
])(
  "of a policy that is %s: Realizable %s, phase %s, on %d of 3 nodes",
  (realization, isMet, phase, current) => {
    const asked = { realization, generation: 7, nodes: 3 };
    expect(conditions.isTrue?.(realization)).toBe(isMet);
    expect(conditions.summary?.({ ...asked, zone: null })).toEqual({
      ...{ phase, observedGeneration: 7 },
      ...{ currentNodesRealized: current, desiredNodesRealized: 3 },
    });
    expect(conditions.summary?.({ ...asked, zone: "n1" })).toEqual({});
  },
);

const web = { podSelector: { matchLabels: { app: "web" } } };
const judged = (object: ReferencedObject, ...others: readonly ReferencedObject[]) => {
  const { isTrue, reason, message } = groupStatus.judge(object, resolving(...others).resolve);
  return [isTrue, reason, message];
};

test("a group's members are computed", () => {
  expect(judged(clusterGroup("g", web))).toEqual([true, "MembersComputed", "The group's members are known"]);
  const parent = group("g", { childGroups: ["one"] });
  expect(judged(parent, group("one", web))[0]).toBe(true);
});

test("a Service that is not there yet is a warning", () => {
  const [isTrue, , message] = judged(group("g", { serviceReference: { name: "s", namespace: "shop" } }));
  expect([isTrue, message]).toEqual([true, expect.stringContaining("warnings: spec.serviceReference: ")]);
});

test.each<[string, object, object | null]>([
  ["ChildGroupMissing", { childGroups: ["one"] }, null],
  ["ChildGroupsNestingExceeded", { childGroups: ["one"] }, { childGroups: ["two"] }],
  ["NotRealizable", { externalEntitySelector: {} }, null],
  ["NotRealizable", { ipBlocks: [{ cidr: "10.0.0.0" }] }, null],
  ["NotRealizable", { childGroups: ["one"] }, { ipBlocks: [{ cidr: "10.0.0.0" }] }],
  ["NotRealizable", { childGroups: ["g"] }, null],
])("a group's members are not computed: %s of %j", (reason, spec, child) => {
  for (const make of [clusterGroup, group]) {
    const children = child === null ? [] : [make("one", child)];
    const [isTrue, told, message] = judged(make("g", spec), ...children);
    expect([isTrue, told]).toEqual([false, reason]);
    expect(message).toContain("spec.");
  }
});

const mistakes = (status: ReferenceStatus, object: ReferencedObject) =>
  mistakesIn(status.judge(object, resolving().resolve)).map(({ field, message }) => `${field}: ${message}`);

test.each<[string, unknown, readonly string[]]>([
  [
    "with a priority beyond the last",
    { priority: 251 },
    ["spec.priority: must be an integer from 0 to 250, not 251"],
  ],
  [
    "with a priority that is text",
    { priority: "7" },
    ['spec.priority: must be an integer from 0 to 250, not "7"'],
  ],
  ["without a priority", {}, ["spec.priority: this field is required"]],
  ["without a spec", null, ["spec.priority: this field is required"]],
  [
    "with the priority of another",
    { priority: 50 },
    ["spec.priority: 50 is the priority of the tier emergency"],
  ],
  ["with a priority of its own", { priority: 51 }, []],
])("a tier %s", (_, spec, expected) => {
  expect(mistakes(tierStatus, tier("mine", spec))).toEqual(expected);
  // It is there without an object, which changes nothing.
  expect(mistakes(tierStatus, tier("emergency", spec))).toEqual([]);
});

test("of a group, mistakes are what its API refuses, not what rows cannot say", () => {
  const both = { podSelector: {}, ipBlocks: [{ cidr: "10.0.0.0/8" }] };
  for (const make of [clusterGroup, group]) {
    expect(mistakes(groupStatus, make("g", both))).toEqual([
      "spec: must have only one of selectors, ipBlocks",
    ]);
    expect(mistakes(groupStatus, make("g", { podSelectr: {} }))).toEqual([
      "spec.podSelectr: this field is not known here",
    ]);
    expect(mistakes(groupStatus, make("g", { externalEntitySelector: {} }))).toEqual([]);
    expect(mistakes(groupStatus, make("g", { childGroups: ["missing"] }))).toEqual([]);
  }
});
