// What owners of Antrea's objects are told, word by word: the values beside a policy's condition, and whether a group's
// members are computed. A group is judged by itself, whether a policy names it or not.

import { expect, test } from "@jest/globals";
import { clusterGroup, group, resolving } from "../../test/support/antrea.ts";
import type { ReferencedObject } from "../model/object.ts";
import type { Realization } from "../policy/dialect.ts";
import { groupStatus } from "./group-status.ts";
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
